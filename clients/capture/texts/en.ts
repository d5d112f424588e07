/** English, whose keys are those of every language. */
export const en = {
  title: 'Identity check',
  no_script: 'This page needs JavaScript. Turn it on in your browser and reload the page.',
  language: 'Language',
  step_of: 'Step {n} of {total}',
  loading: 'One moment…',
  try_again: 'Try again',
  go_back: 'Go back',
  take_again: 'Retake',

  consent_title: 'Confirm your identity',
  consent_lead:
    'You will show your face to the camera and, if this check requires it, an identity document. It takes about two minutes.',
  consent_what: 'What is recorded',
  consent_face: 'Photos and a short video of your face while you turn your head.',
  consent_document: 'Photos of your identity document, if one is required.',
  consent_device: 'Technical details of your browser, device and connection, to detect fraud.',
  consent_use:
    'Your face is converted into numbers (biometric data), which are compared with your document and with earlier checks. The company that sent you here receives the result.',
  consent_refuse: 'If you do not agree, close this page. Nothing has been recorded yet.',
  consent_agree: 'I agree, continue',

  camera_title: 'Turn on your camera',
  camera_lead: 'Your browser will ask whether this page may use the camera. Choose “Allow”.',
  camera_start: 'Turn on camera',
  camera_opening: 'Waiting for the camera…',
  camera_refused_title: 'The camera is blocked',
  camera_refused: 'This page is not allowed to use the camera. To allow it:',
  camera_refused_1:
    'Press the camera or lock symbol in the address bar, or open the site settings of your browser.',
  camera_refused_2: 'Set “Camera” to “Allow” for this page.',
  camera_refused_3:
    'On a phone, also check in the system settings that the browser is allowed to use the camera.',
  camera_refused_4: 'Return to this page and press “Try again”.',
  camera_busy: 'The camera does not start. Close other programs that use it, and try again.',
  camera_stopped: 'The camera has stopped. Turn it on again to continue.',
  camera_missing: 'No camera was found on this device.',
  use_phone: 'Continue on a phone',
  give_up: 'I cannot do this',

  give_up_title: 'Stop the check?',
  give_up_lead: 'The check will end without success. To try again, you will need a new link.',
  give_up_stop: 'Stop the check',

  handover_title: 'Continue on your phone',
  handover_lead: 'Point the camera of your phone at this code and open the address that appears.',
  handover_code: 'QR code with the address of this check',
  handover_address: 'Or type this address on your phone:',
  handover_waiting: 'Keep this page open. It continues when you have finished on your phone.',
  handover_here: 'Use the camera of this device',
  handover_used_title: 'The check continues on your phone',
  handover_expired: 'The code has expired.',
  handover_renew: 'Show a new code',

  face_title: 'Show your face',
  face_tip_frame: 'Keep your whole face inside the oval.',
  face_tip_light: 'Make sure that the light is even. Take off sunglasses and hats.',
  face_tip_turn:
    'When asked, turn your head until the camera sees your cheek, and hold that position for a moment.',
  face_start: 'Start the scan',
  face_preview: 'Preview of your camera',
  face_center: 'Look straight into the camera',
  face_left: 'Turn your head to your left',
  face_right: 'Turn your head to your right',
  face_interrupted: 'The scan was interrupted. Please start it again.',
  face_review_title: 'Are the photos good?',
  face_review_lead: 'In each photo, your whole face should be visible, sharp and well lit.',
  face_picture_center: 'You, looking straight ahead',
  face_picture_left: 'You, turned to your left',
  face_picture_right: 'You, turned to your right',
  use_pictures: 'Use these photos',

  document_type_title: 'Choose your document',
  document_type_lead: 'Which of these do you have with you? It must be valid.',
  passport: 'Passport',
  id_card: 'Identity card',
  driver_license: 'Driver license',
  passport_title: 'Photograph the page with your photo',
  front_title: 'Photograph the front',
  back_title: 'Photograph the back',
  document_lead: 'Place the document on a plain, dark surface. Keep all four corners inside the frame.',
  document_preview: 'Preview of the camera for your document',
  document_take: 'Take the photo',
  document_file: 'Choose a photo instead',
  document_file_unreadable: 'This file cannot be read as an image. Choose a JPEG or PNG file.',
  document_no_camera: 'The camera cannot be used at the moment. Choose a photo of your document.',
  document_change: 'Choose another document',
  document_review_title: 'Is the photo good?',
  document_review_lead: 'All text should be sharp, and all four corners should be visible.',
  document_picture: 'The photo of your document',
  use_picture: 'Use this photo',

  retake_blurred:
    'Take the photo again: the image is blurred. Hold the camera still and wait until it focuses.',
  retake_glare:
    'Take the photo again: light is reflected. Tilt the document a little or change the lighting.',
  retake_cut: 'Take the photo again: part of the document is missing. Show all four corners.',
  retake_unreadable:
    'Take the photo again: the document could not be read. Place it flat in good light and fill the frame.',

  hint_dark: 'Too dark. More light is needed.',
  hint_still: 'Hold still.',
  hint_blurred: 'The image is blurred.',
  hint_glare: 'Light is reflected. Tilt the document a little.',
  hint_cut: 'Part of the document is cut off. Move back a little.',
  hint_closer: 'Move closer.',
  hint_good: 'Looks good.',

  sending_title: 'Sending',
  sending_lead: 'Keep this page open until everything is sent.',
  sending_share: '{percent} % sent',
  sending_stalled: 'The connection was interrupted. Everything sent so far is saved.',
  waiting_title: 'Checking',
  waiting_lead: 'This usually takes less than a minute. You do not need to do anything else.',

  result_success_title: 'Thank you, all done',
  result_success_lead: 'Your photos have been checked.',
  result_failure_title: 'The check was not completed',
  result_back: 'You will be taken back in a moment.',
  result_continue: 'Continue',
  result_close: 'You may close this page.',
  result_new_link: 'To try again, request a new link from the company that sent you here.',
  failed_camera: 'The camera could not be used.',
  failed_face: 'The face scan could not be completed.',
  failed_document: 'The document could not be read.',
  failed_device: 'Information about your device could not be collected.',
  failed_other: 'Something went wrong.',

  link_broken_title: 'This link does not work',
  link_broken_lead:
    'Check that you opened the complete address, or request a new link from the company that sent you here.',
  link_over_title: 'This link is no longer valid',
  link_over_lead:
    'The check has ended or has expired. Request a new link from the company that sent you here.',
  started_title: 'This check is already open elsewhere',
  started_lead:
    'It was started in another browser or on another device. Continue there, or request a new link.',
  offline_title: 'No connection',
  offline_lead: 'The service cannot be reached. Check your connection, then try again.',
  refused_title: 'Something went wrong',
  refused_lead:
    'The service did not accept the data. Try again, or request a new link from the company that sent you here.',

  simulated_title: 'Simulation in the sandbox',
  simulated_lead:
    'This is a test: the camera is not used, and the page continues by itself after three seconds.',
} as const;

export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;
