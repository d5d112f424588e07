import type { Texts } from './en.ts';

export const fr: Texts = {
  title: 'Vérification d’identité',
  no_script: 'Cette page a besoin de JavaScript. Activez-le dans votre navigateur et rechargez la page.',
  language: 'Langue',
  step_of: 'Étape {n} sur {total}',
  loading: 'Un instant…',
  try_again: 'Réessayer',
  go_back: 'Retour',
  take_again: 'Recommencer',

  consent_title: 'Confirmez votre identité',
  consent_lead:
    'Vous allez montrer votre visage à la caméra et, si cette vérification le demande, une pièce d’identité. Cela prend environ deux minutes.',
  consent_what: 'Ce qui est enregistré',
  consent_face: 'Des photos et une courte vidéo de votre visage pendant que vous tournez la tête.',
  consent_document: 'Des photos de votre pièce d’identité, si elle est demandée.',
  consent_device:
    'Des données techniques de votre navigateur, appareil et connexion, pour détecter la fraude.',
  consent_use:
    'Votre visage est transformé en nombres (données biométriques), comparés à votre pièce d’identité et à des vérifications antérieures. L’entreprise qui vous a envoyé ici reçoit le résultat.',
  consent_refuse: 'Si vous n’êtes pas d’accord, fermez cette page. Rien n’a encore été enregistré.',
  consent_agree: 'J’accepte, continuer',

  camera_title: 'Activez votre caméra',
  camera_lead: 'Votre navigateur demandera si cette page peut utiliser la caméra. Choisissez « Autoriser ».',
  camera_start: 'Activer la caméra',
  camera_opening: 'En attente de la caméra…',
  camera_refused_title: 'La caméra est bloquée',
  camera_refused: 'Cette page ne peut pas utiliser la caméra. Pour l’autoriser :',
  camera_refused_1:
    'Appuyez sur le symbole de caméra ou de cadenas dans la barre d’adresse, ou ouvrez les paramètres du site dans votre navigateur.',
  camera_refused_2: 'Réglez « Caméra » sur « Autoriser » pour cette page.',
  camera_refused_3:
    'Sur un téléphone, vérifiez aussi que le système permet au navigateur d’utiliser la caméra.',
  camera_refused_4: 'Revenez ici et appuyez sur « Réessayer ».',
  camera_busy: 'La caméra ne démarre pas. Fermez les autres programmes qui l’utilisent et réessayez.',
  camera_stopped: 'La caméra s’est arrêtée. Activez-la de nouveau pour continuer.',
  camera_missing: 'Aucune caméra n’a été trouvée sur cet appareil.',
  use_phone: 'Continuer sur un téléphone',
  give_up: 'Je ne peux pas le faire',

  give_up_title: 'Arrêter la vérification ?',
  give_up_lead: 'La vérification se terminera sans succès. Pour réessayer, il faudra un nouveau lien.',
  give_up_stop: 'Arrêter la vérification',

  handover_title: 'Continuez sur votre téléphone',
  handover_lead: 'Visez ce code avec l’appareil photo du téléphone et ouvrez l’adresse qui s’affiche.',
  handover_code: 'Code QR avec l’adresse de cette vérification',
  handover_address: 'Ou saisissez cette adresse sur votre téléphone :',
  handover_waiting: 'Gardez cette page ouverte. Elle continuera quand vous aurez fini sur le téléphone.',
  handover_here: 'Utiliser la caméra de cet appareil',
  handover_used_title: 'La vérification continue sur votre téléphone',
  handover_expired: 'Le code a expiré.',
  handover_renew: 'Afficher un nouveau code',

  face_title: 'Montrez votre visage',
  face_tip_frame: 'Gardez tout votre visage dans l’ovale.',
  face_tip_light: 'Veillez à un éclairage uniforme. Retirez lunettes de soleil et chapeau.',
  face_tip_turn:
    'Quand on vous le demande, tournez la tête jusqu’à ce que la caméra voie votre joue, et restez ainsi un instant.',
  face_start: 'Commencer',
  face_preview: 'Image de votre caméra',
  face_center: 'Regardez la caméra bien en face',
  face_left: 'Tournez la tête vers votre gauche',
  face_right: 'Tournez la tête vers votre droite',
  face_interrupted: 'L’enregistrement a été interrompu. Veuillez recommencer.',
  face_review_title: 'Les photos sont-elles bonnes ?',
  face_review_lead: 'Sur chaque photo, votre visage doit être entier, net et bien éclairé.',
  face_picture_center: 'Vous, de face',
  face_picture_left: 'Vous, tourné vers votre gauche',
  face_picture_right: 'Vous, tourné vers votre droite',
  use_pictures: 'Utiliser ces photos',

  document_type_title: 'Choisissez votre pièce d’identité',
  document_type_lead: 'Laquelle avez-vous avec vous ? Elle doit être valide.',
  passport: 'Passeport',
  id_card: 'Carte d’identité',
  driver_license: 'Permis de conduire',
  passport_title: 'Photographiez la page avec votre photo',
  front_title: 'Photographiez le recto',
  back_title: 'Photographiez le verso',
  document_lead:
    'Posez le document sur une surface unie et sombre. Les quatre coins doivent être dans le cadre.',
  document_preview: 'Image de la caméra pour votre document',
  document_take: 'Prendre la photo',
  document_file: 'Choisir une photo',
  document_file_unreadable:
    'Ce fichier ne peut pas être lu comme une image. Choisissez un fichier JPEG ou PNG.',
  document_no_camera:
    'La caméra ne peut pas être utilisée pour le moment. Choisissez une photo de votre document.',
  document_change: 'Choisir un autre document',
  document_review_title: 'La photo est-elle bonne ?',
  document_review_lead: 'Tout le texte doit être net, et les quatre coins visibles.',
  document_picture: 'La photo de votre document',
  use_picture: 'Utiliser cette photo',

  retake_blurred:
    'Reprenez la photo : l’image est floue. Ne bougez pas l’appareil et attendez la mise au point.',
  retake_glare: 'Reprenez la photo : il y a un reflet. Inclinez un peu le document ou changez d’éclairage.',
  retake_cut: 'Reprenez la photo : une partie du document manque. Montrez les quatre coins.',
  retake_unreadable:
    'Reprenez la photo : le document n’a pas pu être lu. Posez-le à plat, bien éclairé, et remplissez le cadre.',

  hint_dark: 'Trop sombre. Il faut plus de lumière.',
  hint_still: 'Ne bougez pas.',
  hint_blurred: 'L’image est floue.',
  hint_glare: 'Il y a un reflet. Inclinez un peu le document.',
  hint_cut: 'Une partie de l’image est coupée. Éloignez-vous un peu.',
  hint_closer: 'Rapprochez-vous.',
  hint_good: 'C’est bien.',

  sending_title: 'Envoi en cours',
  sending_lead: 'Gardez cette page ouverte jusqu’à la fin de l’envoi.',
  sending_share: '{percent} % envoyés',
  sending_stalled: 'La connexion a été interrompue. Tout ce qui a été envoyé est enregistré.',
  waiting_title: 'Vérification en cours',
  waiting_lead: 'Cela prend le plus souvent moins d’une minute. Vous n’avez plus rien à faire.',

  result_success_title: 'Merci, c’est terminé',
  result_success_lead: 'Vos photos ont été vérifiées.',
  result_failure_title: 'La vérification n’a pas abouti',
  result_back: 'Vous allez revenir à la page précédente dans un instant.',
  result_continue: 'Continuer',
  result_close: 'Vous pouvez fermer cette page.',
  result_new_link: 'Pour réessayer, demandez un nouveau lien auprès de l’entreprise qui vous a envoyé ici.',
  failed_camera: 'La caméra n’a pas pu être utilisée.',
  failed_face: 'L’enregistrement du visage n’a pas pu être terminé.',
  failed_document: 'La pièce d’identité n’a pas pu être lue.',
  failed_device: 'Les données de l’appareil n’ont pas pu être recueillies.',
  failed_other: 'Un problème est survenu.',

  link_broken_title: 'Ce lien ne fonctionne pas',
  link_broken_lead:
    'Vérifiez que vous avez ouvert l’adresse entière, ou demandez un nouveau lien auprès de l’entreprise qui vous a envoyé ici.',
  link_over_title: 'Ce lien n’est plus valable',
  link_over_lead:
    'La vérification est terminée ou a expiré. Demandez un nouveau lien auprès de l’entreprise qui vous a envoyé ici.',
  started_title: 'Cette vérification est déjà ouverte ailleurs',
  started_lead:
    'Elle a été commencée dans un autre navigateur ou sur un autre appareil. Continuez là-bas, ou demandez un nouveau lien.',
  offline_title: 'Pas de connexion',
  offline_lead: 'Le service est injoignable. Vérifiez votre connexion, puis réessayez.',
  refused_title: 'Un problème est survenu',
  refused_lead:
    'Le service n’a pas accepté les données. Réessayez, ou demandez un nouveau lien auprès de l’entreprise qui vous a envoyé ici.',

  simulated_title: 'Simulation dans le bac à sable',
  simulated_lead:
    'Ceci est un test : la caméra n’est pas utilisée, et la page continue seule après trois secondes.',
};
