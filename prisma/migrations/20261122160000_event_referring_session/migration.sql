-- The session that the person came from, in every event of a verification's session. Stored with the event, so that the
-- bytes that receivers get stay the same when the verification forgets it. Null in events of earlier versions.
ALTER TABLE "outbox_events" ADD COLUMN "referring_session_id" UUID;
