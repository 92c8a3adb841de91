import { sketch } from './sketch-site.ts'

const WOO =
  'head <script src="/wp-content/plugins/woocommerce/assets/js/frontend/add-to-cart.min.js"></script>'

/** Shops on several platforms, and marketplaces. */
export const SELLING_SKETCHES = [
  sketch(
    'garnbutikken',
    {
      kind: 'shop',
      language: 'da',
      main: 'Læg i kurv',
      wants: [/cart/, /order|checkout/],
      never: /limit|goal|signup/,
    },
    `
    = / da Garnbutikken i Skagen :: Uld og bomuld fra små spinderier.
    ${WOO}
    nav
    a /kategori/uld Uld
    a /kurv Kurv
    main
    h1 Garn med historie
    p Vi sælger uld fra små spinderier i Danmark og Norge. Alt garn er på lager, og vi sender det samme dag, hvis du bestiller før klokken tolv.
    a /vare/nordlys Nordlys, 100 g
    = /vare/nordlys da Nordlys, 100 g - Garnbutikken
    ${WOO}
    main
    h1 Nordlys, 100 g
    p 79,00 kr.
    form.cart /vare/nordlys quantity:number add-to-cart:hidden * Læg i kurv`,
  ),
  sketch(
    'fjellstova-klaer',
    { kind: 'shop', language: 'no', main: 'Legg i handlekurv', wants: [/cart/], never: /limit|result|goal/ },
    `
    = / no Fjellstova Klær :: Ullklær laget i Norge.
    head <link rel="preconnect" href="https://cdn.shopify.com"><script src="https://cdn.shopify.com/s/x.js"></script>
    main
    h1 Klær som varer
    p Vi syr ullklær på et lite verksted ved fjorden. Hvert plagg er laget for å vare i mange år, og vi reparerer det gratis hvis noe går i stykker.
    a /products/genser Genser i ull
    = /products/genser no Genser i ull – Fjellstova Klær
    head <script src="https://cdn.shopify.com/s/x.js"></script>
    main
    h1 Genser i ull
    form /cart/add id:hidden storrelse:select farge:select antall:number * Legg i handlekurv
    p 1 490 kr`,
  ),
  sketch(
    'svet-caju',
    { kind: 'shop', language: 'cs', main: 'Přidat do košíku', wants: [/cart/], never: /limit|goal|result/ },
    `
    = / cs Svět čajů :: Čaje z malých zahrad.
    head <meta name="generator" content="PrestaShop">
    main
    h1 Čaje z malých zahrad
    p Vozíme čaje přímo od pěstitelů z Nepálu a Číny. Každý čaj ochutnáme sami, a pokud vám nebude chutnat, vrátíme vám peníze bez otázek.
    < <form action="/kosik" method="post"><input type="hidden" name="id_product" value="3"><input type="number" name="qty"><button class="btn btn-primary add-to-cart" data-button-action="add-to-cart" type="submit">Přidat do košíku</button></form>
    p 189 Kč`,
  ),
  sketch(
    'atelier-lut',
    { kind: 'shop', language: 'ro', main: 'Adaugă în coș', wants: [/cart/], never: /limit|goal/ },
    `
    = / ro Atelier de Lut :: Ceramică făcută de mână.
    head <meta name="generator" content="Wix.com Website Builder">
    main
    h1 Ceramică făcută de mână
    p Fiecare cană este lucrată la roată și arsă de două ori în cuptorul nostru. Livrăm în toată țara în trei zile, iar obiectele sparte pe drum le înlocuim gratuit.
    < <div data-hook="product-page"><h2>Cană albastră</h2><span data-hook="product-price">95 lei</span><button data-hook="add-to-cart" type="button">Adaugă în coș</button></div>`,
  ),
  sketch(
    'northbound-soap',
    {
      kind: 'shop',
      language: 'en',
      main: 'Grab one',
      wants: [/cart|purchase|grab/],
      never: /limit|goal|saas/,
    },
    `
    = / en Northbound Soap :: Soap bars that last a winter.
    head <script src="https://assets.squarespace.com/universal/scripts.js"></script>
    header
    a /shop Shop
    a /cart 0
    main
    h1 One bar, one winter
    p Our soap is cut by hand and dried for six weeks, so a single bar lasts through a whole winter. We ship on Mondays in paper boxes without any plastic.
    h2 Pine tar bar
    p $9
    < <div class="sqs-add-to-cart-button-wrapper"><div role="button" tabindex="0" class="sqs-add-to-cart-button sqs-button-element--primary" data-item-id="1"><div class="sqs-add-to-cart-button-inner">Grab one</div></div></div>`,
  ),
  sketch(
    'mira-prints',
    { kind: 'shop', language: 'en', main: 'Mine please', wants: [/cart|purchase|mine/], never: /limit|goal/ },
    `
    = / en Mira Prints :: Linocut prints in small editions.
    head <meta name="generator" content="Webflow">
    main
    h1 Linocuts in editions of forty
    p Every print is pulled by hand on Japanese paper, signed and numbered. When an edition is gone it is gone, and the block is cut in half.
    h2 Heron at dusk
    p £48
    < <form data-node-type="commerce-add-to-cart-form" class="w-commerce-commerceaddtocartform"><input type="number" name="qty" value="1"><input type="submit" class="w-commerce-commerceaddtocartbutton" value="Mine please"></form>`,
  ),
  sketch(
    'long-stride',
    {
      kind: 'shop',
      language: 'en',
      main: ['Add to bag'],
      wants: [/cart/],
      never: /limit|result_made|creation|goal/,
    },
    `
    = / en Long Stride running shoes :: Running shoes in every width.
    header
    a /men Men
    a /women Women
    a /bag Bag
    main
    h1 Shoes in every width
    p Free returns within sixty days. Measure your foot at home and choose from four widths.
    = /women/tern en Tern 2 | Long Stride
    main
    h1 Tern 2
    p £120.00
    form /bag/add size:select width:select colour:select * Add to bag
    = /women/plover en Plover | Long Stride
    main
    h1 Plover
    p £110.00
    form /bag/add size:select width:select colour:select * Add to bag
    = /men/curlew en Curlew | Long Stride
    main
    h1 Curlew
    p £130.00
    form /bag/add size:select width:select colour:select * Add to bag`,
  ),
  sketch(
    'plantenwinkel-loof',
    {
      kind: 'shop',
      language: 'nl',
      main: 'In winkelwagen',
      wants: [/cart/, /stock|terug|back/i],
      never: /limit|goal|newsletter_confirmed/,
    },
    `
    = / nl Plantenwinkel Loof :: Kamerplanten die blijven leven.
    main
    h1 Planten die blijven leven
    p Onze planten komen van kwekers uit de buurt en worden goed ingepakt bezorgd. Gaat een plant binnen een maand dood, dan krijg je een nieuwe van ons.
    a /plant/calathea Calathea
    = /plant/monstera nl Monstera | Plantenwinkel Loof
    head <meta property="og:type" content="product">
    main
    h1 Monstera
    p € 34,50
    form /winkelwagen/toevoegen aantal:number * In winkelwagen
    = /plant/calathea nl Calathea | Plantenwinkel Loof
    main
    h1 Calathea
    p € 19,00 - uitverkocht
    form.back-in-stock /voorraad-melding email:email * Mail mij als hij er weer is`,
  ),
  sketch(
    'melissa-hellas',
    { kind: 'shop', language: 'el', main: 'Προσθήκη στο καλάθι', wants: [/cart/], never: /goal|limit/ },
    `
    = / el Μέλισσα: μέλι από τη Λήμνο :: Θυμαρίσιο μέλι από τη Λήμνο.
    ${WOO}
    main
    h1 Θυμαρίσιο μέλι από τη Λήμνο
    p Το μέλι μας έρχεται κατευθείαν από τους μελισσοκόμους του νησιού. Το συσκευάζουμε στο χέρι και το στέλνουμε σε όλη την Ελλάδα μέσα σε δύο ημέρες.
    < <ul class="products"><li class="product"><h2>Μέλι 450 γρ.</h2><span class="price">9,50 €</span><a href="?add-to-cart=12" class="button add_to_cart_button">Προσθήκη στο καλάθι</a></li></ul>`,
  ),
  sketch(
    'teplo-doma',
    { kind: 'shop', language: 'ru', main: 'В корзину', wants: [/cart/], never: /goal|limit/ },
    `
    = / ru Тепло дома: пледы и подушки :: Пледы и подушки ручной работы.
    nav
    a /pledy Пледы
    a /dostavka Доставка и оплата
    a /cart Корзина
    main
    h1 Пледы ручной работы
    p Мы вяжем пледы из мериносовой шерсти в небольшой мастерской. Доставка по всей стране занимает от трёх до семи дней, а возврат возможен в течение месяца.
    h2 Плед «Север»
    p 5 900 ₽
    form.product-form /cart/add id:hidden kolichestvo:number * В корзину`,
  ),
  sketch(
    'nilaa-sarees',
    { kind: 'shop', language: 'hi', main: 'कार्ट में डालें', wants: [/cart/], never: /goal|limit/ },
    `
    = / hi नीला साड़ियाँ :: बनारस की हाथ से बुनी साड़ियाँ।
    head <script src="https://cdn.shopify.com/s/x.js"></script>
    main
    h1 बनारस की हाथ से बुनी साड़ियाँ
    p हमारी साड़ियाँ बनारस के बुनकरों के घरों में बनती हैं और हर साड़ी को बनाने में तीन हफ़्ते लगते हैं। हम पूरे देश में मुफ़्त भेजते हैं और सात दिन में वापस लेते हैं।
    h2 नीली साड़ी
    p ₹ 4,500
    form /cart/add id:hidden quantity:number * कार्ट में डालें`,
  ),
  sketch(
    'genbrugsloftet',
    {
      kind: 'marketplace',
      language: 'da',
      main: ['Skriv til sælger', 'Opret annonce'],
      wants: [/seller|sælger/i, /listing|annonce/i],
      never: /goal|limit|result_made/,
    },
    `
    = / da Genbrugsloftet – køb og salg i nabolaget :: Køb og sælg brugte ting i dit nabolag.
    header
    a /kategorier Kategorier
    a.btn.primary /opret-annonce Opret annonce
    main
    h1 Brugte ting fra dine naboer
    form /soeg q * Søg
    p Sælgere og købere mødes lige om hjørnet. Du kan oprette en annonce på to minutter, og det koster ikke noget at sælge dine brugte møbler eller cykler.
    a /annonce/4 Cykel, 800 kr.
    = /annonce/4 da Cykel | Genbrugsloftet
    main
    h1 Cykel
    p 800 kr. Sælger: Mette
    b.btn.primary#skriv Skriv til sælger`,
  ),
  sketch(
    'tutor-lane',
    {
      kind: 'marketplace',
      language: 'en',
      main: ['Find a tutor', 'Message Priya'],
      wants: [/message|seller|book/i, /tutor|listing/i],
      never: /goal|limit|result_made/,
    },
    `
    = / en Tutor Lane: find a tutor near you :: Compare tutors near you and message them for free.
    header
    a /tutors/new Become a tutor
    a /login Log in
    main
    h1 Find a tutor near you
    form /search subject postcode level:select * Find a tutor
    p Tutors set their own prices. Read reviews from other parents, message a tutor for free and pay after the lesson. Verified sellers only.
    = /tutor/priya en Priya, maths | Tutor Lane
    main
    h1 Priya
    p £32 an hour
    b.primary.message Message Priya
    b.save Save`,
  ),
  sketch(
    'kamp-prikolice',
    {
      kind: 'marketplace',
      language: 'hr',
      main: ['Pošalji upit vlasniku', 'Traži'],
      never: /goal|limit|result_made/,
    },
    `
    = / hr Kamp prikolice: najam od vlasnika :: Unajmite kamp prikolicu izravno od vlasnika.
    header
    a.btn.btn-primary /oglas/novi Objavi oglas
    a /prijava Prijava
    main
    h1 Kamp prikolice od vlasnika
    form /trazi mjesto od:date do:date * Traži
    p Unajmite kamp prikolicu izravno od vlasnika. Svaki oglas ima slike, cijenu i ocjene drugih putnika, a plaćanje ide preko naše stranice tek kad preuzmete prikolicu.
    = /oglas/7 hr Adria 2019 | Kamp prikolice
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"AggregateOffer","name":"Adria"}</script>
    main
    h1 Adria 2019
    p 45 € na dan
    form /oglas/7/upit ime email:email poruka:textarea * Pošalji upit vlasniku`,
  ),
]
