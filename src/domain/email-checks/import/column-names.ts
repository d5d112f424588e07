/** Uses of a column. */
export const COLUMN_ROLES = ['email', 'firstName', 'lastName', 'name', 'phone', 'country'] as const;
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/**
 * Usual names of columns in several languages, the likelier ones first; folded: without case, accents, spaces and
 * punctuation.
 */
export const COLUMN_NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  email: words(`
    email emailaddress mail mailaddress emailadresse mailadresse emailadress adresemail correo correoelectronico
    direcciondecorreo direccionemail courriel adresseemail adressemail adressemel mel adresseelectronique
    adressedecourriel indirizzoemail postaelettronica enderecodeemail enderecoemail correioeletronico emailadres
    mailadres eposta epostaadresi epost epostadress epostadresse sahkoposti sahkopostiosoite emailcim poczta
    pocztaemail почта электронная-почта имейл емейл ηλεκτρονικό-ταχυδρομείο メール メールアドレス 邮箱 电子邮件 电子邮箱
    電子郵件 電子信箱 이메일 이메일주소 البريد-الإلكتروني דואר-אלקטרוני primaryemail useremail customeremail
    contactemail workemail privateemail email1 email1value
  `),
  firstName: words(`
    firstname givenname forename fname first vorname prenom nombre primernombre nome primeironome voornaam imie
    fornavn fornamn etunimi ad isim имя όνομα 名 이름
  `),
  lastName: words(`
    lastname surname familyname lname last nachname familienname nomdefamille nom apellido apellidos cognome
    sobrenome apelido achternaam nazwisko etternavn efternavn efternamn sukunimi soyad soyadi фамилия επώνυμο 姓 성
  `),
  name: words(`
    name fullname displayname customername contactname nomcomplet nombrecompleto nomecompleto фио 姓名 氏名
  `),
  phone: words(`
    phone phonenumber mobile mobilephone mobilenumber cell cellphone tel telephone telefon telefonnummer handy
    handynummer mobil mobilnummer telefono celular movil portable numerodetelephone telefone cellulare telefoon
    telefoonnummer телефон τηλέφωνο 電話 電話番号 电话 手机 전화 전화번호
  `),
  country: words(`
    country countrycode countryiso land laendercode landercode pays codepays pais codigopais paese kraj maa ulke
    страна χώρα 国 国家 国家代码 국가
  `),
};

/** The name of a column without case, accents, spaces and punctuation. */
export function foldName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function words(text: string): string[] {
  return text.trim().split(/\s+/).map(foldName);
}
