-- Every delivery has the format of its body.
alter table webhook_deliveries alter column payload_format set not null;
