/** Names, numbers and mail providers of a country. */
export type Country = {
  code: string;
  /** Of the service's customers. */
  weight: number;
  /** Frequent first names, the most frequent first; the spelling after a slash is that of friends or passports. */
  firstNames: readonly string[];
  lastNames: readonly string[];
  /** Parts of which the long tail of last names is made. */
  stems: readonly string[];
  endings: readonly string[];
  /** National numbers: `#` any digit, written with the national prefix in their own country. */
  callingCode: string;
  nationalPrefix: string;
  mobilePatterns: readonly string[];
  providers: readonly string[];
};

const words = (text: string) => text.split(' ');

export const COUNTRIES: readonly Country[] = [
  {
    code: 'US',
    weight: 26,
    firstNames: words(
      'James/Jim Mary John/Jack Robert/Bob Patricia/Pat Michael/Mike Jennifer/Jen William/Bill David/Dave Elizabeth/Liz Richard/Rick Joseph/Joe Susan/Sue Thomas/Tom Christopher/Chris Jessica/Jess Daniel/Dan Matthew/Matt Anthony/Tony Margaret/Peggy Andrew/Andy Joshua/Josh Kimberly/Kim Emily Ashley Karen',
    ),
    lastNames: words(
      'Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Thompson White Harris Clark Lewis Walker',
    ),
    stems: words(
      'Ash Black Brad Carl Dal East Farn Gold Harl Hol Kings Lang March North Oak Pem Rad Shel Stan Thorn Under Wal West Win Wood Yard',
    ),
    endings: words(
      'berg bourne bridge bury by cott dale den field ford gate ham hurst land ley man more ridge shaw son stead ster stone ton well wick worth',
    ),
    callingCode: '1',
    nationalPrefix: '',
    mobilePatterns: words('212 310 415 512 617 702 713 773 206 305 404 602').flatMap((area) =>
      words('2 3 4 6 7 8').map((digit) => `${area}${digit}######`),
    ),
    providers: words('yahoo.com outlook.com hotmail.com icloud.com aol.com comcast.net'),
  },
  {
    code: 'GB',
    weight: 11,
    firstNames: words(
      'Oliver/Ollie George Harry Jack Jacob/Jake Charlie Thomas/Tom William/Will James/Jamie Amelia Olivia/Liv Isla Emily Poppy Ava Isabella/Bella Jessica/Jess Sophie Samuel/Sam Benjamin/Ben Alexander/Alex Katherine/Kate',
    ),
    lastNames: words(
      "Smith Jones Taylor Brown Williams Wilson Johnson Davies Patel Robinson Wright Thompson Evans Walker White Roberts Green Hall Wood Harris O'Connor",
    ),
    stems: words(
      'Ald Bar Birk Cal Chat Dun Ed Fen Gar Had Hen Ing Ken Ley Mal Nor Ot Pen Rad Sel Tod Wit Wor',
    ),
    endings: words(
      'bury by combe cote croft don fold garth gill ham head hurst ley low mead ridge sall stow thwaite ton wick worth',
    ),
    callingCode: '44',
    nationalPrefix: '0',
    mobilePatterns: words('740 771 778 779 785 790').map((area) => `${area}#######`),
    providers: words('hotmail.co.uk yahoo.co.uk btinternet.com outlook.com icloud.com'),
  },
  {
    code: 'DE',
    weight: 10,
    firstNames: words(
      'Thomas/Tom Michael Andreas/Andi Peter Stefan Christian/Chris Jürgen Klaus Sabine/Bine Susanne/Susi Petra Monika Alexander/Alex Maximilian/Max Lukas Jonas Leon Johannes/Hannes Katharina/Kathi Anna Lena Björn Jörg Ursula/Uschi',
    ),
    lastNames: words(
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann',
    ),
    stems: words(
      'Alten Berg Brand Buch Dorn Eber Eichel Feld Frei Grün Hart Holz Kirch Lang Linden Mühl Nieder Ober Rosen Stein Tann Wald Wein Wiesen',
    ),
    endings: words(
      'bach bauer baum beck berg brink burger eder egger hammer hauser heimer hofer huber kamp mann maier meister müller reuter stätter thaler',
    ),
    callingCode: '49',
    nationalPrefix: '0',
    mobilePatterns: words(
      '170####### 171####### 172####### 173####### 175####### 177####### 151######## 157######## 176########',
    ),
    providers: words('gmx.de web.de t-online.de outlook.de yahoo.de'),
  },
  {
    code: 'FR',
    weight: 9,
    firstNames: words(
      'Jean Marie Pierre Michel Nathalie Isabelle Philippe Nicolas/Nico Céline Stéphane Émilie Frédéric/Fred Alexandre/Alex Thomas Julien Camille Léa Hélène François René Benoît Chloé',
    ),
    lastNames: words(
      'Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefèvre Leroy Roux Fournier Girard Bonnet Lambert Gauthier',
    ),
    stems: words(
      'Beau Bel Bour Cham Char Cour Del Des Fon Gran Lan Mal Mar Mon Per Ram Ser Tour Val Ver Vil',
    ),
    endings: words(
      'ard aud ault bert champ chet court don dier et fort geon lier lard mont net nier rain rat rin sac teau tier ville',
    ),
    callingCode: '33',
    nationalPrefix: '0',
    mobilePatterns: words('61 62 66 67 68').map((area) => `${area}#######`),
    providers: words('orange.fr hotmail.fr yahoo.fr free.fr laposte.net'),
  },
  {
    code: 'ES',
    weight: 6,
    firstNames: words(
      'Antonio/Toni José/Pepe Manuel/Manolo Francisco/Paco María Carmen Josefa Isabel Ángel Jesús Lucía Martín Sofía Álvaro Javier/Javi Raúl Óscar Beatriz/Bea Pilar Concepción/Concha',
    ),
    lastNames: words(
      'García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez',
    ),
    stems: words(
      'Agui Alba Barr Bena Caba Cal Carr Corde Esco Esquiv Fuen Gal Herr Igle Mal Mont Nav Pal Quin Riv Sal Tor Val Zamo',
    ),
    endings: words('ado al ales ana anza ara edo ejo ena era ero eta illa ino ira ito ondo oso uela ura'),
    callingCode: '34',
    nationalPrefix: '',
    mobilePatterns: ['6########'],
    providers: words('hotmail.es yahoo.es outlook.es hotmail.com'),
  },
  {
    code: 'PL',
    weight: 5,
    firstNames: words(
      'Piotr Krzysztof/Krzysiek Andrzej/Jędrek Tomasz/Tomek Paweł Jan Michał Marcin Łukasz Anna/Ania Maria Katarzyna/Kasia Małgorzata/Gosia Agnieszka/Aga Barbara/Basia Ewa Elżbieta/Ela Zofia/Zosia',
    ),
    lastNames: words(
      'Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Jankowski Mazur Kwiatkowski Krawczyk',
    ),
    stems: words(
      'Bar Biel Bor Chmiel Czar Dom Gór Grab Jab Kal Kras Lip Mal Mich Nied Ostr Pior Rad Saw Szcz Tom Wil Zab Żur',
    ),
    endings: words(
      'alski anek arski awski czak czyk ecki ewicz icki ik iński kiewicz lewski niak owicz owiak owski ucki uk',
    ),
    callingCode: '48',
    nationalPrefix: '',
    mobilePatterns: words('50 51 60 66 69 78').map((area) => `${area}#######`),
    providers: words('wp.pl onet.pl o2.pl interia.pl'),
  },
  {
    code: 'BR',
    weight: 10,
    firstNames: words(
      'José/Zé Maria João Ana Antônio/Toninho Francisco/Chico Carlos Paulo Pedro Lucas Luiz Marcos Gabriel Rafael/Rafa Daniel Marcelo Bruno Eduardo/Edu Felipe Adriana Juliana/Ju Márcia Fernanda Patrícia',
    ),
    lastNames: words(
      'Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa',
    ),
    stems: words(
      'Abr Amor Az Barr Bran Cam Cast Cord Drum Est Fig Gal Guim Lac Mac Men Mor Nav Pac Pin Quei Sal Tav Vas',
    ),
    endings: words('acho ado aes ais ano arães ares edo eira eiro eto ido ino ira ito onde oso ral uel urão'),
    callingCode: '55',
    nationalPrefix: '0',
    mobilePatterns: words('11 21 31 41 51 71').flatMap((area) =>
      words('6 7 8 9').map((digit) => `${area}9${digit}#######`),
    ),
    providers: words('hotmail.com yahoo.com.br uol.com.br outlook.com bol.com.br'),
  },
  {
    code: 'TR',
    weight: 6,
    firstNames: words(
      'Mehmet/Memo Mustafa Ahmet Ali Hüseyin Hasan İbrahim/İbo Fatma/Fatoş Ayşe Emine Hatice Zeynep Elif Meryem Yusuf Ömer Murat Şerife Özlem Çiğdem',
    ),
    lastNames: words(
      'Yılmaz Kaya Demir Çelik Şahin Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan Çetin Kara Koç Kurt Özkan Şimşek',
    ),
    stems: words(
      'Ak Al Ay Bal Bay Boz Can Dağ Er Gök Gül Gün Kar Kara Koç Kök Öz Sarı Tan Taş Tok Tür Uz Ye',
    ),
    endings: words(
      'alp aslan bay bulut cı dağ demir doğan er gül han kan kaya lı maz men oğlu pınar soy taş tekin türk',
    ),
    callingCode: '90',
    nationalPrefix: '0',
    mobilePatterns: words('530 532 533 535 536 542 543 544 552 554 555').map((area) => `${area}#######`),
    providers: words('hotmail.com outlook.com yandex.com.tr windowslive.com'),
  },
  {
    code: 'IN',
    weight: 11,
    firstNames: words(
      'Rahul Amit Sanjay Priya Rajesh/Raj Sunita Anil Pooja Vijay Suresh Anita Deepak Neha Rohit Kavita Arjun Vikram/Vicky Mohammed/Mohd Lakshmi Ravi Ankit Divya Manish Sneha',
    ),
    lastNames: words(
      'Kumar Singh Sharma Patel Gupta Khan Reddy Yadav Verma Das Joshi Mishra Nair Mehta Iyer Shah Chauhan Jain Pillai Rao',
    ),
    stems: words(
      'Agra Bana Bhatta Chak Chatto Desh Dubh Gang Gho Godb Jaya Kapa Kri Madh Maha Mukh Naga Patw Raja Sark Sub Tri Venk Wadh',
    ),
    endings: words(
      'al ani ankar ardhan awat charya dia ekar erjee eshan gaonkar hari kar krishna lal mani nathan oti raman rathi swamy umar vala',
    ),
    callingCode: '91',
    nationalPrefix: '0',
    mobilePatterns: ['98########', '99########', '97########', '90########'],
    providers: words('yahoo.co.in rediffmail.com outlook.com hotmail.com'),
  },
  {
    code: 'RU',
    weight: 6,
    firstNames: words(
      'Александр/Aleksandr Сергей/Sergey Дмитрий/Dmitry Алексей/Alexey Андрей/Andrei Юлия/Iuliia Екатерина/Ekaterina Наталья/Natalia Михаил/Mikhail Евгений/Evgeny Татьяна/Tatiana Анастасия/Anastasia Елена/Elena Ольга/Olga Иван/Ivan Мария/Maria',
    ),
    lastNames: words(
      'Иванов/Ivanov Смирнов/Smirnov Кузнецов/Kuznetsov Попов/Popov Васильев/Vasilyev Петров/Petrov Соколов/Sokolov Михайлов/Mikhailov Новиков/Novikov Фёдоров/Fedorov Морозов/Morozov Волков/Volkov Алексеев/Alekseev Лебедев/Lebedev Зайцев/Zaytsev Щербаков/Shcherbakov',
    ),
    stems: words(
      'Бел/Bel Бог/Bog Вор/Vor Гор/Gor Дан/Dan Ерм/Erm Жар/Zhar Зор/Zor Кал/Kal Кир/Kir Лап/Lap Мак/Mak Ник/Nik Ост/Ost Пан/Pan Род/Rod Сав/Sav Тих/Tikh Уст/Ust Чер/Cher',
    ),
    endings: words(
      'анов/anov аков/akov енко/enko ёнов/yonov илов/ilov инов/inov кин/kin лов/lov ников/nikov онов/onov ухин/ukhin ушкин/ushkin цев/tsev чук/chuk юков/yukov ышев/yshev',
    ),
    callingCode: '7',
    nationalPrefix: '8',
    mobilePatterns: words('903 905 910 915 916 917 925 926 962 964 985').map((area) => `${area}#######`),
    providers: words('mail.ru yandex.ru bk.ru rambler.ru'),
  },
];
