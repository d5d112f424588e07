import type { DomainType } from '@vouchgraph/email/internals/email-classes';

/** Domain of legitimate mail, with its class and the reason. */
export type LegitimateDomain = {
  readonly domain: string;
  readonly type: DomainType;
  readonly reason: string;
};

type Group = readonly [type: DomainType, reason: string, domains: string];

/**
 * Legitimate mail domains, chosen manually by public knowledge; none was resolved over the network. None may be
 * classified as disposable. Many are hard on purpose: aliases of Fastmail and mail.com, relays, free providers,
 * and domains that public lists of disposable domains contain by mistake.
 */
const GROUPS: readonly Group[] = [
  [
    'personal',
    'domains that Fastmail offers to its customers',
    `fastmail.com fastmail.fm fastmail.net fastmail.org fastmail.us fastmail.co.uk fastmail.de fastmail.es fastmail.se
    fastmail.to fastmail.in fastmail.jp fastmail.mx fastmail.nl fastmail.cn fastmail.im fastmail.com.au fastmail.uk
    123mail.org 150mail.com 16mail.com 2-mail.com 4email.net 50mail.com airpost.net allmail.net bestmail.us cluemail.com
    elitemail.org emailcorner.net emailengine.net emailengine.org emailgroups.net emailplus.org emailuser.net eml.cc
    f-m.fm fast-email.com fast-mail.org fastem.com fastemail.us fastemailer.com fastest.cc fastimap.com fastmailbox.net
    fastmessaging.com fea.st fmail.co.uk fmailbox.com fmgirl.com fmguy.com ftml.net h-mail.us hailmail.net imap-mail.com
    imap.cc imapmail.org inoutbox.com internet-e-mail.com internet-mail.org internetemails.net internetmailing.net
    jetemail.net justemail.net letterboxes.org mail-central.com mail-page.com mailandftp.com mailas.com mailbolt.com
    mailc.net mailcan.com mailforce.net mailftp.com mailhaven.com mailingaddress.org mailite.com mailmight.com
    mailnew.com mailsent.net mailservice.ms mailup.net mailworks.org ml1.net mm.st myfastmail.com mymacmail.com
    nospammail.net ownmail.net petml.com postinbox.com postpro.net proinbox.com promessage.com realemail.net
    reallyfast.biz reallyfast.info rushpost.com sent.as sent.at sent.com speedpost.net speedymail.org ssl-mail.com
    swift-mail.com the-fastest.net the-quickest.com theinternetemail.com veryfast.biz veryspeedy.net warpmail.net
    xsmail.com yepmail.net your-mail.com`,
  ],
  [
    'personal',
    'encrypted and privacy-minded providers of lasting mailboxes',
    `proton.me protonmail.com protonmail.ch pm.me hushmail.com hushmail.me hush.com hush.ai tutanota.com tutanota.de
    tutamail.com tuta.com keemail.me mailbox.org posteo.de posteo.net startmail.com runbox.com mailfence.com disroot.org
    riseup.net autistici.org kolabnow.com countermail.com soverin.net`,
  ],
  [
    'personal',
    'large worldwide providers',
    `gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com
    aol.com aim.com icloud.com me.com mac.com zoho.com zohomail.com mail.com gmx.com hey.com pobox.com yandex.com`,
  ],
  [
    'personal',
    'mailboxes under topics and places that mail.com offers',
    `email.com usa.com asia.com europe.com engineer.com consultant.com accountant.com dr.com writeme.com iname.com
    myself.com post.com techie.com uymail.com workmail.com cheerful.com photographer.net musician.org artlover.com
    chef.net teachers.org journalist.com publicist.com`,
  ],
  [
    'personal',
    'providers of Germany, Austria and Switzerland',
    `gmx.de gmx.net gmx.at gmx.ch web.de email.de t-online.de freenet.de arcor.de online.de     berlin.de bluewin.ch hispeed.ch aon.at chello.at utanet.at`,
  ],
  [
    'personal',
    'providers of the United Kingdom and Ireland',
    `btinternet.com talktalk.net virginmedia.com ntlworld.com sky.com blueyonder.co.uk tiscali.co.uk hotmail.co.uk
    yahoo.co.uk live.co.uk eircom.net plus.com`,
  ],
  [
    'personal',
    'providers of France, Belgium and the Netherlands',
    `orange.fr wanadoo.fr free.fr laposte.net sfr.fr bbox.fr neuf.fr aliceadsl.fr hotmail.fr yahoo.fr skynet.be telenet.be
    ziggo.nl kpnmail.nl xs4all.nl planet.nl hetnet.nl home.nl`,
  ],
  [
    'personal',
    'providers of Italy, Spain, Portugal and Greece',
    `libero.it virgilio.it alice.it tin.it tiscali.it hotmail.it yahoo.it telefonica.net terra.es hotmail.es
    yahoo.es sapo.pt otenet.gr`,
  ],
  [
    'personal',
    'providers of northern Europe',
    `hotmail.se online.no broadpark.no jubii.dk ofir.dk kolumbus.fi luukku.com simnet.is`,
  ],
  [
    'personal',
    'providers of central and eastern Europe',
    `wp.pl o2.pl onet.pl interia.pl gazeta.pl seznam.cz centrum.cz email.cz post.cz volny.cz azet.sk centrum.sk
    citromail.hu freemail.hu abv.bg inbox.lv ukr.net meta.ua i.ua`,
  ],
  [
    'personal',
    'providers of Russia and its neighbours',
    `mail.ru bk.ru inbox.ru list.ru yandex.ru ya.ru rambler.ru lenta.ru autorambler.ru ro.ru yandex.by yandex.kz tut.by`,
  ],
  [
    'personal',
    'providers of North America',
    `comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com netzero.net
    optonline.net frontier.com windstream.net centurylink.net mindspring.com roadrunner.com rr.com shaw.ca rogers.com
    sympatico.ca bell.net telus.net videotron.ca prodigy.net.mx`,
  ],
  [
    'personal',
    'providers of South America',
    `uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br yahoo.com.br yahoo.com.ar
    fibertel.com.ar hotmail.com.ar`,
  ],
  [
    'personal',
    'providers of East Asia',
    `qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com 139.com 189.cn aliyun.com 21cn.com tom.com
    naver.com daum.net hanmail.net nate.com yahoo.co.jp docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com biglobe.ne.jp
    pchome.com.tw netvigator.com`,
  ],
  [
    'personal',
    'providers of South and South-East Asia',
    `rediffmail.com sify.com indiatimes.com yahoo.co.in yahoo.co.id yahoo.com.ph yahoo.com.sg singnet.com.sg
    pacific.net.sg`,
  ],
  [
    'personal',
    'providers of Oceania',
    `bigpond.com bigpond.net.au telstra.com.au optusnet.com.au iinet.net.au tpg.com.au internode.on.net xtra.co.nz slingshot.co.nz
    yahoo.com.au`,
  ],
  [
    'personal',
    'providers of Africa and the Middle East',
    `webmail.co.za mweb.co.za telkomsa.net vodamail.co.za maktoob.com walla.com walla.co.il yahoo.co.za`,
  ],
  ['personal', 'community systems of many years', `sdf.org lycos.com excite.com`],
  [
    'relay',
    'services that forward to one lasting mailbox',
    `privaterelay.appleid.com mozmail.com relay.firefox.com duck.com simplelogin.com simplelogin.co simplelogin.fr
    aleeas.com slmail.me slmails.com silomails.com dralias.com 8alias.com 8shield.net passmail.net passmail.com
    passinbox.com passfwd.com anonaddy.com anonaddy.me addy.io addymail.com 33mail.com erine.email opayq.com`,
  ],
  [
    'education',
    'universities of North America',
    `mit.edu stanford.edu harvard.edu berkeley.edu umich.edu psu.edu cornell.edu utoronto.ca ubc.ca mcgill.ca
    uwaterloo.ca unam.mx`,
  ],
  [
    'education',
    'universities of Europe',
    `cam.ac.uk ox.ac.uk imperial.ac.uk ed.ac.uk tcd.ie ucd.ie ethz.ch epfl.ch uzh.ch tum.de lmu.de rwth-aachen.de
    univie.ac.at tuwien.ac.at polytechnique.edu ens.fr sorbonne-universite.fr uva.nl tudelft.nl kuleuven.be ugent.be
    ku.dk dtu.dk uio.no ntnu.no lu.se kth.se helsinki.fi aalto.fi hi.is polimi.it unibo.it uniroma1.it ub.edu uam.es
    ulisboa.pt uw.edu.pl agh.edu.pl cuni.cz muni.cz uoa.gr ut.ee msu.ru itmo.ru unibuc.ro elte.hu`,
  ],
  [
    'education',
    'universities of Asia, Africa, Oceania and South America',
    `nus.edu.sg ntu.edu.sg hku.hk ust.hk tsinghua.edu.cn pku.edu.cn fudan.edu.cn zju.edu.cn u-tokyo.ac.jp kyoto-u.ac.jp
    snu.ac.kr kaist.ac.kr ntu.edu.tw iitb.ac.in iisc.ac.in chula.ac.th um.edu.my ui.ac.id huji.ac.il technion.ac.il
    tau.ac.il metu.edu.tr boun.edu.tr sharif.edu kaust.edu.sa aucegypt.edu uct.ac.za wits.ac.za up.ac.za uonbi.ac.ke
    unilag.edu.ng sydney.edu.au unimelb.edu.au anu.edu.au auckland.ac.nz otago.ac.nz usp.br unicamp.br uba.ar uchile.cl
    puc.cl uniandes.edu.co`,
  ],
  [
    'government',
    'governments and bodies of states',
    `nasa.gov nih.gov cdc.gov irs.gov state.gov usda.gov army.mil navy.mil gc.ca canada.ca gov.bc.ca gov.uk hmrc.gov.uk
    met.police.uk parliament.uk gov.scot gov.wales bund.de bundestag.de admin.ch bmf.gv.at gouv.fr interieur.gouv.fr
    europa.eu ec.europa.eu gov.ie gov.pl gov.cz gov.sk gov.si gov.ro gov.pt agenziaentrate.gov.it gob.es gob.mx
    gov.br receita.fazenda.gov.br gob.ar gob.cl gov.co gov.au ato.gov.au govt.nz mofa.go.jp go.kr moe.gov.sg gov.in
    gov.cn gov.za go.ke gov.ng gov.il gov.tr gov.ae gov.sa`,
  ],
  [
    'business',
    'companies of many countries',
    `apple.com microsoft.com google.com amazon.com meta.com netflix.com nvidia.com intel.com ibm.com oracle.com sap.com
    siemens.com bosch.com bmw.de basf.com allianz.de deutschebank.com lufthansa.com telekom.de nestle.com novartis.com
    roche.com ubs.com airbus.com bnpparibas.com totalenergies.com loreal.com renault.com philips.com shell.com ing.com
    unilever.com hsbc.com bp.com vodafone.com rolls-royce.com ericsson.com volvo.com ikea.com nokia.com maersk.com
    novonordisk.com equinor.com santander.com inditex.com enel.com ferrari.com toyota.co.jp sony.com hitachi.com
    samsung.com lge.com hyundai.com huawei.com lenovo.com tencent.com infosys.com wipro.com tcs.com grab.com
    petrobras.com.br itau.com.br mercadolibre.com cemex.com bhp.com cba.com.au fonterra.com mtn.com
    sasol.com safaricom.co.ke emirates.com`,
  ],
  [
    'business',
    'phone companies and hosts whose staff and customers have mailboxes there',
    `1und1.de vodafone.de sunrise.ch proximus.be aruba.it telia.com ionos.com ovh.net gandi.net infomaniak.com`,
  ],
  [
    'business',
    'organizations and the press',
    `un.org who.int worldbank.org icrc.org redcross.org amnesty.org greenpeace.org wikimedia.org mozilla.org apache.org
    eff.org bbc.co.uk guardian.co.uk nytimes.com lemonde.fr spiegel.de zeit.de elpais.com nhk.or.jp abc.net.au`,
  ],
];

export const LEGITIMATE_DOMAINS: readonly LegitimateDomain[] = GROUPS.flatMap(([type, reason, domains]) =>
  domains.split(/\s+/).map((domain) => ({ domain, type, reason })),
);
