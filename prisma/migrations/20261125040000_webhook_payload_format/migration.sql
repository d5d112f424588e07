-- Format of the bodies that an endpoint receives. Endpoints that exist already were created for the first one.
alter table webhook_endpoints add column payload_format integer not null default 1;
