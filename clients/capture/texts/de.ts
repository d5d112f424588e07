import type { Texts } from './en.ts';

export const de: Texts = {
  title: 'Identitätsprüfung',
  no_script: 'Diese Seite braucht JavaScript. Schalten Sie es im Browser ein und laden Sie die Seite neu.',
  language: 'Sprache',
  step_of: 'Schritt {n} von {total}',
  loading: 'Einen Moment…',
  try_again: 'Noch einmal versuchen',
  go_back: 'Zurück',
  take_again: 'Neu aufnehmen',

  consent_title: 'Bestätigen Sie Ihre Identität',
  consent_lead:
    'Sie zeigen der Kamera Ihr Gesicht und, wenn diese Prüfung es verlangt, ein Ausweisdokument. Das dauert etwa zwei Minuten.',
  consent_what: 'Was aufgenommen wird',
  consent_face: 'Fotos und ein kurzes Video Ihres Gesichts, während Sie den Kopf drehen.',
  consent_document: 'Fotos Ihres Ausweisdokuments, wenn eines verlangt wird.',
  consent_device: 'Technische Angaben zu Browser, Gerät und Verbindung, um Betrug zu erkennen.',
  consent_use:
    'Ihr Gesicht wird in Zahlen umgerechnet (biometrische Daten), die mit Ihrem Ausweis und mit früheren Prüfungen verglichen werden. Das Unternehmen, das Sie hierher geschickt hat, erhält das Ergebnis.',
  consent_refuse: 'Wenn Sie nicht zustimmen, schließen Sie diese Seite. Noch ist nichts aufgenommen.',
  consent_agree: 'Ich stimme zu, weiter',

  camera_title: 'Schalten Sie die Kamera ein',
  camera_lead: 'Ihr Browser wird fragen, ob diese Seite die Kamera benutzen darf. Wählen Sie „Zulassen“.',
  camera_start: 'Kamera einschalten',
  camera_opening: 'Die Kamera startet…',
  camera_refused_title: 'Die Kamera ist gesperrt',
  camera_refused: 'Diese Seite darf die Kamera nicht benutzen. So erlauben Sie es:',
  camera_refused_1:
    'Drücken Sie auf das Kamera- oder Schlosssymbol in der Adresszeile, oder öffnen Sie die Website-Einstellungen des Browsers.',
  camera_refused_2: 'Stellen Sie „Kamera“ für diese Seite auf „Zulassen“.',
  camera_refused_3:
    'Prüfen Sie am Handy auch in den Systemeinstellungen, ob der Browser die Kamera benutzen darf.',
  camera_refused_4: 'Kommen Sie hierher zurück und drücken Sie „Noch einmal versuchen“.',
  camera_busy:
    'Die Kamera startet nicht. Schließen Sie andere Programme, die sie benutzen, und versuchen Sie es noch einmal.',
  camera_stopped: 'Die Kamera ist ausgegangen. Schalten Sie sie wieder ein, um fortzufahren.',
  camera_missing: 'An diesem Gerät wurde keine Kamera gefunden.',
  use_phone: 'Am Handy fortfahren',
  give_up: 'Ich kann das nicht',

  give_up_title: 'Prüfung abbrechen?',
  give_up_lead: 'Die Prüfung endet dann ohne Erfolg. Für einen neuen Versuch brauchen Sie einen neuen Link.',
  give_up_stop: 'Prüfung abbrechen',

  handover_title: 'Fahren Sie am Handy fort',
  handover_lead:
    'Richten Sie die Kamera des Handys auf diesen Code und öffnen Sie die Adresse, die es zeigt.',
  handover_code: 'QR-Code mit der Adresse dieser Prüfung',
  handover_address: 'Oder geben Sie diese Adresse am Handy ein:',
  handover_waiting: 'Lassen Sie diese Seite offen. Sie geht weiter, wenn Sie am Handy fertig sind.',
  handover_here: 'Die Kamera dieses Geräts benutzen',
  handover_used_title: 'Die Prüfung geht am Handy weiter',
  handover_expired: 'Der Code ist abgelaufen.',
  handover_renew: 'Neuen Code zeigen',

  face_title: 'Zeigen Sie Ihr Gesicht',
  face_tip_frame: 'Halten Sie das ganze Gesicht im Oval.',
  face_tip_light: 'Achten Sie auf gleichmäßiges Licht. Nehmen Sie Sonnenbrille und Hut ab.',
  face_tip_turn:
    'Wenn Sie darum gebeten werden, drehen Sie den Kopf, bis die Kamera Ihre Wange sieht, und bleiben Sie kurz so.',
  face_start: 'Aufnahme starten',
  face_preview: 'Bild Ihrer Kamera',
  face_center: 'Sehen Sie gerade in die Kamera',
  face_left: 'Drehen Sie den Kopf nach links',
  face_right: 'Drehen Sie den Kopf nach rechts',
  face_interrupted: 'Die Aufnahme wurde unterbrochen. Bitte starten Sie sie noch einmal.',
  face_review_title: 'Sind die Fotos gut?',
  face_review_lead: 'Ihr Gesicht sollte auf jedem Foto ganz zu sehen, scharf und gut beleuchtet sein.',
  face_picture_center: 'Sie, gerade nach vorn',
  face_picture_left: 'Sie, nach links gedreht',
  face_picture_right: 'Sie, nach rechts gedreht',
  use_pictures: 'Diese Fotos verwenden',

  document_type_title: 'Wählen Sie Ihr Dokument',
  document_type_lead: 'Welches davon haben Sie dabei? Es muss gültig sein.',
  passport: 'Reisepass',
  id_card: 'Personalausweis',
  driver_license: 'Führerschein',
  passport_title: 'Fotografieren Sie die Seite mit Ihrem Foto',
  front_title: 'Fotografieren Sie die Vorderseite',
  back_title: 'Fotografieren Sie die Rückseite',
  document_lead:
    'Legen Sie das Dokument auf eine glatte, dunkle Fläche. Alle vier Ecken gehören in den Rahmen.',
  document_preview: 'Bild der Kamera für Ihr Dokument',
  document_take: 'Foto aufnehmen',
  document_file: 'Stattdessen ein Foto wählen',
  document_file_unreadable:
    'Diese Datei lässt sich nicht als Bild lesen. Wählen Sie eine JPEG- oder PNG-Datei.',
  document_no_camera: 'Die Kamera lässt sich gerade nicht benutzen. Wählen Sie ein Foto Ihres Dokuments.',
  document_change: 'Ein anderes Dokument wählen',
  document_review_title: 'Ist das Foto gut?',
  document_review_lead: 'Alle Texte sollten scharf und alle vier Ecken zu sehen sein.',
  document_picture: 'Das Foto Ihres Dokuments',
  use_picture: 'Dieses Foto verwenden',

  retake_blurred:
    'Nehmen Sie das Foto noch einmal auf: Das Bild ist unscharf. Halten Sie die Kamera still, bis es scharf ist.',
  retake_glare:
    'Nehmen Sie das Foto noch einmal auf: Licht spiegelt sich. Kippen Sie das Dokument ein wenig oder ändern Sie das Licht.',
  retake_cut:
    'Nehmen Sie das Foto noch einmal auf: Ein Teil des Dokuments fehlt. Zeigen Sie alle vier Ecken.',
  retake_unreadable:
    'Nehmen Sie das Foto noch einmal auf: Das Dokument war nicht lesbar. Legen Sie es flach in gutes Licht und füllen Sie den Rahmen.',

  hint_dark: 'Zu dunkel. Sorgen Sie für mehr Licht.',
  hint_still: 'Halten Sie still.',
  hint_blurred: 'Das Bild ist unscharf.',
  hint_glare: 'Licht spiegelt sich. Kippen Sie das Dokument ein wenig.',
  hint_cut: 'Ein Teil des Bildes ist abgeschnitten. Gehen Sie etwas weiter weg.',
  hint_closer: 'Gehen Sie näher heran.',
  hint_good: 'Sieht gut aus.',

  sending_title: 'Wird gesendet',
  sending_lead: 'Lassen Sie diese Seite offen, bis alles gesendet ist.',
  sending_share: '{percent} % gesendet',
  sending_stalled: 'Die Verbindung wurde unterbrochen. Was schon gesendet wurde, ist gespeichert.',
  waiting_title: 'Wird geprüft',
  waiting_lead: 'Das dauert meist weniger als eine Minute. Sie brauchen nichts mehr zu tun.',

  result_success_title: 'Danke, alles erledigt',
  result_success_lead: 'Ihre Fotos wurden geprüft.',
  result_failure_title: 'Die Prüfung wurde nicht abgeschlossen',
  result_back: 'Sie werden gleich zurückgeleitet.',
  result_continue: 'Weiter',
  result_close: 'Sie können diese Seite schließen.',
  result_new_link:
    'Für einen neuen Versuch fordern Sie bei dem Unternehmen, das Sie hierher geleitet hat, einen neuen Link an.',
  failed_camera: 'Die Kamera ließ sich nicht benutzen.',
  failed_face: 'Die Aufnahme des Gesichts wurde nicht fertig.',
  failed_document: 'Das Dokument ließ sich nicht lesen.',
  failed_device: 'Angaben zu Ihrem Gerät ließen sich nicht ermitteln.',
  failed_other: 'Etwas ist schiefgegangen.',

  link_broken_title: 'Dieser Link funktioniert nicht',
  link_broken_lead:
    'Prüfen Sie, ob Sie die vollständige Adresse geöffnet haben, oder fordern Sie bei dem Unternehmen, das Sie hierher geleitet hat, einen neuen Link an.',
  link_over_title: 'Dieser Link gilt nicht mehr',
  link_over_lead:
    'Die Prüfung ist beendet oder abgelaufen. Fordern Sie bei dem Unternehmen, das Sie hierher geleitet hat, einen neuen Link an.',
  started_title: 'Diese Prüfung ist bereits woanders geöffnet',
  started_lead:
    'Sie wurde in einem anderen Browser oder auf einem anderen Gerät begonnen. Fahren Sie dort fort, oder fordern Sie einen neuen Link an.',
  offline_title: 'Keine Verbindung',
  offline_lead:
    'Der Dienst ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  refused_title: 'Etwas ist schiefgegangen',
  refused_lead:
    'Der Dienst hat die Daten nicht angenommen. Versuchen Sie es noch einmal, oder fordern Sie bei dem Unternehmen, das Sie hierher geleitet hat, einen neuen Link an.',

  simulated_title: 'Simulation in der Sandbox',
  simulated_lead:
    'Dies ist ein Test: Die Kamera wird nicht benutzt, und die Seite geht nach drei Sekunden von selbst weiter.',
};
