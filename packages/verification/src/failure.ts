/** Reasons for which a verification fails, as pages and clients receive them. */
export const FAILURES = [
  'invalid_session_id',
  'session_id_not_found',
  'failed_to_get_camera_permission',
  'failed_to_complete_face_scan',
  'failed_to_process_id_scan',
  'failed_to_collect_device_data',
  'liveness_check_failed',
] as const;
export type Failure = (typeof FAILURES)[number];

/** Failures that a page may report; the service detects the others. */
export const PAGE_FAILURES = [
  'failed_to_get_camera_permission',
  'failed_to_complete_face_scan',
  'failed_to_process_id_scan',
  'failed_to_collect_device_data',
] as const satisfies readonly Failure[];
export type PageFailure = (typeof PAGE_FAILURES)[number];
