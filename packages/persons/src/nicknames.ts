import { foldedWord } from './name-words.ts';

/*
 * Given names with their short and pet forms, one given name a line, in ASCII. Names that merely translate each other
 * (John, Juan) are no entry: they are different names of one origin. Forms that belong to several names are listed
 * under each of them.
 */
const LINES = `
aaron: ron ronnie
abigail: abby abbie gail
abraham: abe bram
adelaide: addie adele heidi
agnes: aggie nessie
albert: al bert bertie
alexander: alex alec lex sandy xander
alexandra: alex alexa lexi sandra sandy
alfred: al alf alfie fred freddie
alice: ali allie
alison: ali allie
amanda: mandy
amelia: amy millie mia
andrew: andy drew
angela: angie
anne: annie nan nancy
anthony: tony ant
antoinette: toni nettie
archibald: archie
arnold: arnie
arthur: art artie
augustus: gus augie
barbara: babs barb barbie
bartholomew: bart
beatrice: bea trixie
benjamin: ben benny benji
bernard: bernie
bradley: brad
bridget: biddy bridie
calvin: cal
cameron: cam
caroline: carrie caro lina
catherine: cathy cath cat kate katie kitty
cecilia: cece cissy celia
charles: charlie charley chuck chas chaz
charlotte: charlie lottie lotte
christian: chris
christina: chris chrissy tina christie
christine: chris chrissy christie tina
christopher: chris kit topher
clarence: clare
clifford: cliff
constance: connie
cornelius: neil connie
curtis: curt
cynthia: cindy
daniel: dan danny
david: dave davy
deborah: deb debbie debby
dennis: den denny
dominic: dom nic nick
donald: don donnie
dorothy: dot dottie dolly dory
douglas: doug dougie
edith: edie
edmund: ed eddie ned
edward: ed eddie eddy ned ted teddy
edwin: ed eddie
eleanor: ellie nell nellie nora
elizabeth: liz lizzie beth betsy betty bess eliza libby lisa elsie
emily: em emmy millie
ernest: ernie
eugene: gene
evelyn: evie
ezekiel: zeke
florence: flo flossie
frances: fran fanny frannie
francis: frank frankie fran
franklin: frank frankie
frederick: fred freddie freddy rick
gabriel: gabe
gabrielle: gabby
genevieve: gen ginny
geoffrey: geoff
george: georgie
gerald: gerry jerry
geraldine: gerry
gertrude: gertie trudy
gilbert: gil bert
gregory: greg
gwendolyn: gwen
harold: harry hal
harriet: hattie
helen: nell nellie
henrietta: hettie etta
henry: harry hank hal
herbert: herb bert
howard: howie
hubert: bert
irene: rene
isaac: ike zac
isabella: bella belle izzy
isabelle: bella belle izzy
isadora: dora
jacob: jake
jacqueline: jackie
james: jim jimmy jamie
jane: janie jenny
janet: jan
jason: jay
jasmine: jazz
jeffrey: jeff
jennifer: jen jenny jenna
jeremiah: jerry
jeremy: jem jerry
jerome: jerry
jessica: jess jessie
joanna: jo
john: jack johnny jock
jonathan: jon jonny nathan
joseph: joe joey
josephine: jo josie
joshua: josh
judith: judy jude
julia: julie
katherine: kate katie kathy kat kit kitty kay
kathleen: kathy kath kay
kenneth: ken kenny
kimberly: kim
laurence: larry laurie
lawrence: larry lawrie
leonard: len lenny leo
leonardo: leo
leopold: leo poldi
leslie: les
lillian: lily lil
louis: lou
louise: lou lulu
lucille: lucy lu
madeleine: maddie maddy
madison: maddie
magdalena: magda lena
malcolm: mal
margaret: maggie meg megan peggy greta madge marge margie rita daisy
marjorie: marge margie
martha: marty patty
martin: marty
mary: molly polly mae mamie
matilda: tilly tilda mattie
matthew: matt matty
maurice: moe
maximilian: max
maxwell: max
melanie: mel
melissa: mel missy lissa
michael: mike mick mickey mikey
michelle: shelly
mildred: millie
miranda: mira mandy
mitchell: mitch
montgomery: monty
mortimer: mort
nancy: nan
natalie: nat
nathan: nat nate
nathaniel: nat nate nathan
nicholas: nick nicky nico
nicole: nicky nikki
norman: norm
oliver: ollie
olivia: liv livvy
oscar: ozzie
oswald: oz ozzie
pamela: pam
patricia: pat patty patsy tricia trish
patrick: pat paddy
penelope: penny nell
percival: percy
peter: pete
philip: phil pip
phillip: phil pip
priscilla: cilla
prudence: prue
rachel: rach
randall: randy
raymond: ray
rebecca: becky becca
reginald: reg reggie
richard: rich richie rick ricky dick
robert: bob bobby rob robbie robby bert
roberta: bobbie
roderick: rod roddy
rodney: rod
roger: rodge
roland: rollo
ronald: ron ronnie
rosemary: rose rosie
rudolph: rudy dolph
russell: russ
samantha: sam sammie
samson: sam
samuel: sam sammy
sarah: sally sadie
sebastian: seb bastian
sidney: sid
simon: si
sophia: sophie
solomon: sol
stanley: stan
stephanie: steph stevie
stephen: steve stevie
steven: steve stevie
stuart: stu
susan: sue susie suzy
susannah: sue susie anna
sylvester: sly vester
tabitha: tabby
terence: terry
teresa: terry tess tessa
theresa: terry tess tessa tracy
theodora: dora thea
theodore: ted teddy theo
thomas: tom tommy
timothy: tim timmy
tobias: toby
valerie: val
veronica: ronnie vera
victor: vic
victoria: vicky vicki tori
vincent: vince vin vinny
virginia: ginny ginger
vivian: viv
walter: walt wally
wilfred: wilf fred
wilhelmina: mina minnie billie
william: will bill billy willy liam willie
winifred: winnie freda
winston: win
zachary: zach zack

adolfo: fito
alberto: beto
alejandra: ale jandra
alejandro: ale alex jandro
alfonso: poncho fonso
antonia: toni tona
antonio: tono toni
beatriz: bea betty
carlos: carlitos charly
carmen: carmela menchu
concepcion: concha conchita
consuelo: chelo consu
cristina: cris tina
cristobal: tobal cris
dolores: lola lolita
domingo: mingo
eduardo: edu lalo
enrique: quique kike
ernesto: neto tito
esperanza: espe
eugenia: geni
federico: fede lico
felipe: pipe
fernando: fer nando
francisca: paca paqui paquita
francisco: paco pancho curro fran kiko paquito
gerardo: gera lalo
graciela: chela
gregorio: goyo
guadalupe: lupe lupita pita
guillermo: guille memo
gustavo: gus tavo
hortensia: tencha
ignacio: nacho
inmaculada: inma
isabel: isa bel chabela
javier: javi
jesus: chuy chucho suso
joaquin: quino
jorge: coque
jose: pepe pepito chepe
josefa: pepa pepita fina
josefina: pepa fina
juan: juanito juancho
leticia: lety leti
lorenzo: loren
luis: lucho luisito
luisa: lu
magdalena: malena
manuel: manolo manu lolo
manuela: manoli manola
margarita: marga rita
maria: mari maruja marita
mercedes: merche meche
miguel: migue
montserrat: montse
natividad: nati
nicolas: nico
pedro: perico
pilar: pili
purificacion: puri
rafael: rafa
ramon: moncho monchi
ricardo: richi rica
roberto: beto robe
rodrigo: rodri
rosario: charo
salvador: salva chava
santiago: santi chago
sebastian: sebas
sergio: checo
silvia: silvi
soledad: sole
teresa: tere maite
trinidad: trini
valentina: vale tina
vicente: chente vicen

adelheid: heidi heide
andreas: andi andy
angelika: geli
annemarie: anne
anneliese: anne liese
bernhard: bernd
brigitte: gitte gitta biggi
christoph: chris stoffel
dietrich: dieter
dorothea: dora thea dorle
eberhard: ebbe hardy
elfriede: friede elfi
elisabeth: elli lisa lisbeth liesel elise sissi betti
franziska: franzi sissi
friedrich: fritz fiete
gabriele: gabi
georg: schorsch
gerhard: gerd
gottfried: friedel
gunther: gunni
hannelore: hanne lore
heinrich: heiner heinz heini
hildegard: hilde
ingeborg: inge
jakob: jockel
johanna: hanna hanne
johannes: hans hannes jo
joachim: achim jochen
josef: sepp jupp pepi
karoline: karo line
katharina: kathi katja kati rina trina
klaus: klausi
konrad: kurt konni
leonhard: leo hardy
lieselotte: lilo lotte liese
ludwig: lutz wiggerl
magdalene: leni lene
manfred: manni fred
margarete: grete gretel marga meta
matthias: matze hias
michaela: micha ela
nikolaus: klaus niko nick
reinhard: hardy reini
rosemarie: rosi romy
rudolf: rudi rolf
sabine: bine
sebastian: basti wastl
siegfried: sigi
stefanie: steffi
stefan: steff
susanne: sanne susi
theodor: theo
therese: resi
thomas: tommi
ulrich: uli ulli
ulrike: uli rike ulla
ursula: uschi ulla ursel
veronika: vroni
walburga: burgi wally
waltraud: traudl traudel
wilhelm: willi willy
wolfgang: wolf wolfi

antoine: toine titi
emmanuel: manu
emmanuelle: manu
francoise: fanchon
frederic: fred
guillaume: guigui guillou
jeanne: jeannette jeanneton
madeleine: mado
marguerite: margot
mathilde: tilde
nathalie: nath
philippe: phil
stephane: steph
thierry: titi
valentin: val

alessandra: ale sandra
alessandro: ale sandro
antonella: nella
bartolomeo: meo bartolo
caterina: cate rina
domenico: mimmo nico menico
elisabetta: betta lisa elisa
ferdinando: nando
francesca: franca cesca
francesco: franco ciccio cecco checco
gaetano: tano
giacomo: giaco
giovanna: gianna vanna
giovanni: gianni vanni nanni
giuseppe: beppe peppe pino peppino
giuseppina: pina pinuccia peppina
guglielmo: memo
leonardo: nardo
lorenzo: renzo
luigi: gigi gino
maddalena: lena
margherita: rita marga
massimiliano: massimo max
michele: lele
raffaele: lele raffa
roberto: robi
salvatore: toto tore turi
stefano: ste
teresa: resi
tommaso: tommy maso masino
vincenzo: enzo vince cenzo

adriana: adri drica
antonio: toninho tonho
carlos: carlinhos
eduardo: duda dudu
fernanda: nanda fe
fernando: nandinho
francisco: chico xico
gabriel: biel gabi
guilherme: gui guiga
gustavo: guga
henrique: rique
joana: joaninha
joao: joaozinho jota
joaquim: quim
jose: ze zeca zezinho
luis: luisinho lula
manuel: maneco mane nelo
mariana: mari
pedro: pedrinho
rafael: rafinha
ronaldo: naldo
sebastiao: tiao bastiao

aleksandr: sasha alex shura sanya alik
aleksandra: sasha shura sanya ola
aleksander: olek alek
aleksei: alyosha lyosha lesha
alexei: alyosha lyosha lesha
alexey: alyosha lyosha lesha
anastasia: nastya asya stasya nastia
anatoly: tolya tolik
andrei: andryusha
andrzej: jedrek
anna: anya ania anyuta annushka asia anka
arkady: arkasha
barbara: basia
bogdan: bodya
boris: borya
bronislaw: bronek
czeslaw: czesiek
daniil: danya danila
daria: dasha dashka
denis: deniska
dmitri: dima mitya dimitri
dmitriy: dima mitya
dmitry: dima mitya
ekaterina: katya katyusha katia
elena: lena lenochka alyona
elzbieta: ela
evgeni: zhenya
evgenia: zhenya
evgeny: zhenya
fyodor: fedya
galina: galya
gennady: gena
georgi: gosha zhora
grigori: grisha
grzegorz: grzes
igor: igoryok
ilya: ilyusha
ilia: ilyusha
irina: ira irisha
ivan: vanya ivo
jadwiga: jadzia
jan: janek jasiek
jaroslav: jarda slava
jerzy: jurek
josip: joso joza
katarzyna: kasia
kirill: kirya
kazimierz: kazik
konstantin: kostya
krystyna: krysia
krzysztof: krzys krzysiek
ksenia: ksyusha
larisa: lara
leonid: lyonya
lev: lyova
ludmila: lyuda mila lida
lyubov: lyuba
lyudmila: lyuda mila
maciej: maciek
malgorzata: gosia malgosia
maksim: max maks
marek: mareczek
maria: masha marusya mania marysia
marina: marinka
mateusz: mati
mikhail: misha
milan: milanko
miroslav: mirek mirko
nadezhda: nadya
natalia: natasha nata natalka
nikolai: kolya
nikolay: kolya
nina: ninochka
oksana: ksana
oleg: olezhka
olga: olya
pavel: pasha pavlik
pawel: pawelek
petr: petya
piotr: piotrek
polina: polya
roman: roma
ryszard: rysiek
semyon: syoma
sergei: seryozha seryoga
sergey: seryozha seryoga
sofia: sonya sofa zosia
stanislav: stas slava
stanislaw: staszek stach
stepan: styopa
svetlana: sveta lana
tadeusz: tadek
tamara: toma
tatiana: tanya tania
tatyana: tanya
timofei: tima
tomasz: tomek
vadim: vadik
valentina: valya
valeri: valera
varvara: varya
vasily: vasya vaska
vera: verochka
viktor: vitya
viktoria: vika
vitaly: vitalik
vladimir: vova volodya vladik vlad
vladislav: vlad vladik slava
vsevolod: seva
vyacheslav: slava
wladyslaw: wladek
wojciech: wojtek
yakov: yasha
yaroslav: yarik slava
yekaterina: katya
yelena: lena
yevgeny: zhenya
yulia: yulya
yuri: yura
zbigniew: zbyszek
zofia: zosia

adriaan: arie adri
albertus: bert appie
antonius: toon ton anton
catharina: toos trijntje rina
cornelia: cor corrie nelleke
cornelis: cees kees cor
elisabeth: els elly lies liesbeth betje
franciscus: frans
gerardus: gerard gerrit
gijsbert: gijs bert
hendrik: henk rik hein
hendrika: riek rika henny
hubertus: huub bert
jacobus: jaap koos cobus ko
johanna: jo joke annie
johannes: jan joop johan
josephus: jos jef
leonardus: leo leen
margaretha: greet griet gretha
maria: mia ria marieke rietje miep
martinus: tinus martijn
mattheus: thijs teus
matthijs: thijs
nicolaas: klaas nico
petrus: piet peter
theodorus: theo dirk dorus
wilhelmina: willemijn mien
wilhelmus: wim willem
willem: wim pim

alexander: sasha
anders: ante adde
annika: anki
astrid: asta
birgitta: gitta britta
christian: krille
elisabeth: lisbet lis betty
fredrik: fredde
gunnar: gurra
henrik: henke rik
ingrid: inga
jakob: jeppe
johannes: johs
kristina: stina kicki
kristoffer: kris toffe
kristian: kris
lars: lasse
lennart: lelle
magnus: mange
margareta: greta maggan
mikael: micke
nils: nisse
olof: olle
par: palle
per: pelle
sigrid: siri
stefan: steffe
thorbjorn: tobbe
torbjorn: tobbe
ulrika: ulla
viktor: vicke
aleksi: ale
juhani: jussi
kaarina: kaisa
maria: maija
olavi: olli

abdullah: abdul abdu
abdulrahman: abdul abood
ahmed: hamada
fatima: fatma fatuma fifi
ibrahim: ibo brahim
ismail: isma
khadija: khadi dija
mahmoud: hamada
mehmet: memo memis
mohamed: mo moh hamada med
mohammad: mo moh
mohammed: mo moh mohd med
muhammad: mo moh md mohd
mustafa: mus musti moos
suleiman: sulo
suleyman: sulo
yusuf: yusu
zeynep: zeyno
abdurrahman: apo abdul
abdulkadir: kadir apo
fatma: fatos
hatice: hatce
huseyin: huso
mehmetcan: memo
ramazan: ramo
recep: reco

aishwarya: aish
abhishek: abhi
abhinav: abhi
aditya: adi
akshay: aksh
ananya: anu
anuradha: anu
anushka: anu
arjun: arju
ashwin: ash
balasubramaniam: bala mani
chandrasekhar: chandra sekhar
deepika: deepu
dhananjay: dhanu
gopalakrishnan: gopal gopi
harshvardhan: harsh
jaya: jayu
jayalakshmi: jaya lakshmi
karthikeyan: karthik
krishnamurthy: krishna murthy
lakshmi: laxmi
madhusudan: madhu
manikandan: mani
narayanan: narayan
niranjan: niru
padmanabhan: padma
parthasarathy: partha
prabhakar: prabhu
priyanka: priya
radhakrishnan: radha krishnan
rajendra: raj raju
rajesh: raj raju
rajkumar: raj raju
ramachandran: ram rama
ramakrishnan: ram rama
ramesh: ram ramu
ravindra: ravi
saraswati: sara
satyanarayana: satya
shivakumar: shiva
siddharth: sid siddhu
srinivas: srini vasu
srinivasan: srini
sudhakar: sudha
suresh: suri
swaminathan: swami
venkatesh: venky venkat
venkataraman: venkat raman
vijayalakshmi: viji vijaya
vishwanathan: vishy viswa
vikram: vicky vik
vivek: viv
yashwant: yash
`;

/** A given name with one of its short forms. */
export type NicknamePair = { readonly name: string; readonly short: string };

/** Every given name of the table with each of its short forms. */
export const NICKNAME_PAIRS: readonly NicknamePair[] = LINES.trim()
  .split('\n')
  .filter((line) => line !== '')
  .flatMap((line) => {
    const [name = '', shorts = ''] = line.split(': ');
    return shorts.split(' ').map((short) => ({ name, short }));
  });

const shortForms = new Map<string, string[]>();
/** Long names of a word; a long name includes itself. */
const longNames = new Map<string, string[]>();
for (const pair of NICKNAME_PAIRS) {
  const [name, short] = [foldedWord(pair.name), foldedWord(pair.short)];
  addTo(shortForms, name, short);
  addTo(longNames, name, name);
  addTo(longNames, short, name);
}

/**
 * Whether two given names, as `foldedWord` writes them, are one name in a long and a short form, or two short forms of
 * one name: Robert and Bob, Rob and Bob.
 */
export function isSameGivenName(one: string, other: string): boolean {
  if (one === other) return true;
  const names = longNames.get(one);
  const others = names && longNames.get(other);
  return others !== undefined && names!.some((name) => others.includes(name));
}

/** A folded given name with all its equivalent forms, itself first. */
export function formsOfGivenName(word: string): readonly string[] {
  const names = longNames.get(word) ?? [];
  return [...new Set([word, ...names.flatMap((name) => [name, ...shortForms.get(name)!])])];
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
