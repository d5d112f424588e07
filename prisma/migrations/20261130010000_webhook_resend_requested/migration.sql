-- Whether the delivery was resent during its present attempt: the end of the attempt makes it due again.
alter table webhook_deliveries add column resend_requested boolean not null default false;
