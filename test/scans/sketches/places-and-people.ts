import { sketch } from './sketch-site.ts'

/** Local businesses, studios and agencies. */
export const PLACE_SKETCHES = [
  sketch(
    'zahnarzt-kern',
    {
      kind: 'local_business',
      language: 'de',
      main: 'Termin online buchen',
      wants: [/booking/, /phone/],
      never: /goal|limit|signup/,
      name: 'Zahnarztpraxis Kern',
    },
    `
    = / de Startseite – Zahnarztpraxis Kern in Bonn :: Ihre Zahnarztpraxis in Bonn: Vorsorge, Implantate, Angstpatienten.
    header
    a /leistungen Leistungen
    a tel:+4922812 0228 12
    a.btn.primary https://www.doctolib.de/praxis/bonn/kern Termin online buchen
    main
    h1 Zahnarztpraxis Kern
    p Wir nehmen uns Zeit für Sie und erklären jeden Schritt. Unsere Sprechzeiten finden Sie unten, und für Notfälle halten wir jeden Tag einen Platz frei.
    footer
    a /impressum Impressum`,
  ),
  sketch(
    'hale-and-marsh',
    {
      kind: 'local_business',
      language: 'en',
      main: ['Ask a solicitor', '01632'],
      wants: [/contact|enquiry|solicitor/i, /phone/],
      never: /limit|result_made|creation|goal/,
    },
    `
    = / en Hale & Marsh Solicitors :: Solicitors in Ludlow for wills, family and property.
    header
    a tel:+441632960001 01632 960001
    main
    h1 Solicitors in Ludlow
    p We have advised families and farms in Ludlow since 1961. Tell us what happened, and a solicitor will call you back the same day. Our office is opposite the market hall.
    form /enquiry name phone:tel message:textarea * Ask a solicitor
    = /wills en Wills | Hale & Marsh Solicitors
    main
    h1 Wills and probate
    form /enquiry name phone:tel message:textarea * Ask a solicitor
    = /family en Family law | Hale & Marsh Solicitors
    main
    h1 Family law
    form /enquiry name phone:tel message:textarea * Ask a solicitor
    = /property en Property | Hale & Marsh Solicitors
    main
    h1 Property
    form /enquiry name phone:tel message:textarea * Ask a solicitor`,
  ),
  sketch(
    'hotel-almendro',
    {
      kind: 'local_business',
      language: 'es',
      main: ['Ver disponibilidad'],
      wants: [/booking/],
      never: /limit|result_made|creation|goal/,
    },
    `
    = / es Hotel El Almendro | Granada :: Hotel con patio en el Albaicín de Granada.
    nav
    a /habitaciones Habitaciones
    a /desayuno Desayuno
    main
    h1 Un patio en el Albaicín
    p Doce habitaciones alrededor de un patio con un almendro. El desayuno se sirve hasta las once, y la Alhambra queda a quince minutos andando desde nuestra puerta.
    form /reservas llegada:date salida:date huespedes:number * Ver disponibilidad
    = /habitaciones es Habitaciones | Hotel El Almendro
    main
    h1 Habitaciones
    form /reservas llegada:date salida:date huespedes:number * Ver disponibilidad
    = /habitaciones/patio es Habitación patio | Hotel El Almendro
    main
    h1 Habitación patio
    p desde 95 €
    form /reservas llegada:date salida:date huespedes:number * Ver disponibilidad`,
  ),
  sketch(
    'tasca-do-rio',
    {
      kind: 'local_business',
      language: 'pt',
      main: ['Reservar mesa', 'frame', 'thefork'],
      wants: [/book|reserv/i, /phone|directions|contact/],
      never: /goal|limit|signup/,
    },
    `
    = / pt Tasca do Rio :: Petiscos e peixe fresco junto ao Douro.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"Restaurant","name":"Tasca do Rio"}</script>
    nav
    a /ementa Ementa
    a tel:+351220000 22 0000
    main
    h1 Tasca do Rio
    p Servimos petiscos e peixe fresco todos os dias ao almoço e ao jantar. A nossa esplanada fica mesmo em frente ao rio, e as crianças são sempre bem-vindas.
    h2 Reservar mesa
    < <iframe src="https://widget.thefork.com/abc" title="Reservas"></iframe>
    a https://maps.app.goo.gl/xyz Como chegar`,
  ),
  sketch(
    'kampaamo-lumi',
    {
      kind: 'local_business',
      language: 'fi',
      main: 'Varaa aika',
      wants: [/book|varaa/i, /phone/],
      never: /goal|limit|signup/,
    },
    `
    = / fi Kampaamo Lumi, Tampere :: Kampaamo Tampereen keskustassa.
    head <meta name="generator" content="WordPress 6.8">
    header
    a.btn.primary https://varaa.timma.fi/lumi Varaa aika
    a tel:+358401 040 1
    main
    h1 Kampaamo Lumi
    p Olemme pieni kampaamo Tampereen keskustassa, ja meillä on aikaa jokaiselle asiakkaalle. Leikkaamme, värjäämme ja kuuntelemme, ja kahvi kuuluu aina hintaan.
    a.btn https://varaa.timma.fi/lumi Varaa aika
    h2 Aukioloajat`,
  ),
  sketch(
    'ozkan-oto',
    {
      kind: 'local_business',
      language: 'tr',
      main: ['Randevu al'],
      wants: [/book/, /phone|contact/],
      never: /goal|limit/,
    },
    `
    = / tr Özkan Oto Servis :: Bursa'da güvenilir oto servis.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"AutoRepair","name":"Özkan Oto"}</script>
    header
    a tel:+90224 0224
    main
    h1 Arabanız emin ellerde
    p Bursa'da otuz yıldır her marka araca bakım ve onarım yapıyoruz. Fiyatı işe başlamadan önce söyleriz ve değiştirdiğimiz her parçayı size gösteririz.
    a.button.primary /randevu Randevu al
    a https://wa.me/90555 WhatsApp`,
  ),
  sketch(
    'allatorvos-szeged',
    {
      kind: 'local_business',
      language: 'hu',
      main: 'Időpontot kérek',
      wants: [/book|időpont|idopont|appointment/i, /phone/],
      never: /goal|limit/,
    },
    `
    = / hu Kezdőlap | Állatorvosi rendelő Szeged :: Állatorvosi rendelő kutyáknak és macskáknak Szegeden.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"VeterinaryCare","name":"Állatorvosi rendelő Szeged"}</script>
    header
    a tel:+3662 06 62
    main
    h1 Kutyák és macskák orvosa
    p Rendelőnk minden hétköznap este hatig van nyitva. Hozza el kedvencét oltásra vagy szűrésre, és kérdezzen bátran, mert a beszélgetés nálunk nem kerül semmibe.
    a.btn.btn-primary /idopont Időpontot kérek`,
  ),
  sketch(
    'studio-oren',
    {
      kind: 'local_business',
      language: 'he',
      main: ['calendly', 'frame', 'קביעת'],
      wants: [/book|calendly/i],
      never: /goal|limit/,
    },
    `
    = / he סטודיו אורן – יוגה בתל אביב :: שיעורי יוגה קטנים בלב תל אביב.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"HealthClub","name":"סטודיו אורן"}</script>
    main
    h1 יוגה בקבוצות קטנות
    p אנחנו מלמדים יוגה בקבוצות של שמונה אנשים לכל היותר. השיעור הראשון ללא תשלום, ואפשר לבוא גם בלי ניסיון קודם. הסטודיו נמצא ליד השוק ויש חניה ברחוב.
    h2 קביעת שיעור ניסיון
    < <iframe src="https://calendly.com/studio-oren/first"></iframe>
    a tel:+97254 054`,
  ),
  sketch(
    'brisk-plumbing',
    {
      kind: 'local_business',
      language: 'en',
      main: ['Get my price', '0161'],
      wants: [/quote|price/i, /phone/],
      never: /goal|limit|result_made/,
      name: 'Brisk Plumbing',
    },
    `
    = / en Home | Brisk Plumbing | Emergency plumber in Leeds :: Emergency plumber in Leeds, no call-out fee.
    header
    a.cta tel:+44161 0161 496
    main
    h1 A plumber within the hour
    p Burst pipe, no hot water, blocked drain: we are there within the hour, day and night, and we tell you the price before we start. Fully insured, with ten years of five star reviews.
    form /price postcode problem:select phone:tel * Get my price
    = /boilers en Boilers | Brisk Plumbing
    main
    h1 Boiler repair
    form /price postcode problem:select phone:tel * Get my price`,
  ),
  sketch(
    'dar-al-taswiq',
    {
      kind: ['portfolio', 'local_business'],
      language: 'ar',
      main: ['ابدأ مشروعك', 'أرسل'],
      wants: [/contact|enquiry|مشروع/i],
      never: /goal|limit|signup_completed/,
    },
    `
    = / ar دار التسويق | وكالة تسويق رقمي في عمّان :: وكالة تسويق رقمي تبني العلامات التجارية في الأردن.
    header
    a /works أعمالنا
    a /team فريقنا
    a.btn.btn-primary /start ابدأ مشروعك
    main
    h1 نبني علامات تجارية يتذكرها الناس
    p نحن فريق صغير من المصممين والكتاب في عمّان. نعمل مع الشركات الناشئة منذ عشر سنوات، ونبدأ كل مشروع بسؤال واحد: ماذا يريد عملاؤك منك فعلاً؟
    a.btn.btn-primary /start ابدأ مشروعك
    = /start ar ابدأ مشروعك | دار التسويق
    main
    h1 حدثنا عن مشروعك
    form /send name email:email message:textarea * أرسل`,
  ),
  sketch(
    'studio-halden',
    {
      kind: 'portfolio',
      language: 'en',
      main: ["Let's make something", 'Tell us'],
      wants: [/contact|enquiry|something/i],
      never: /goal|limit|signup/,
    },
    `
    = / en Halden, a design studio :: A two-person design studio for museums.
    header
    a /work Work
    a /studio Studio
    main
    h1 Design for museums
    p We are two designers who make exhibitions, books and signs for museums. Selected work from twelve years, for clients in nine countries.
    a /work/maritime Maritime museum, identity
    a.btn.primary /contact Let's make something
    = /contact en Contact - Halden
    main
    h1 Tell us about it
    form /send name email:email message:textarea * Tell us
    = /work/maritime en Maritime museum - Halden
    main
    h1 Maritime museum
    p Identity and signs for a museum of ships, opened in May.`,
  ),
  sketch(
    'foto-marta',
    {
      kind: ['portfolio', 'local_business'],
      language: 'sl',
      main: 'Pišite mi',
      wants: [/contact|enquiry|mail|pišite/i],
      never: /goal|limit/,
    },
    `
    = / sl Marta Kos, fotografinja :: Fotografinja porok in družin v Ljubljani.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"Person","name":"Marta Kos"}</script>
    nav
    a /portfolio Portfolio
    a /o-meni O meni
    main
    h1 Poroke brez poziranja
    p Sem Marta in že enajst let fotografiram poroke in družine po Sloveniji. Na dan poroke sem z vami od jutra do večera, slike pa dobite v treh tednih.
    a.button.primary mailto:marta@kos.test Pišite mi`,
  ),
]
