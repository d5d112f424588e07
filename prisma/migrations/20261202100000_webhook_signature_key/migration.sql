-- Key of the older header x-signature: text or decoded.
alter table webhook_endpoints add column signature_key text not null default 'text';
