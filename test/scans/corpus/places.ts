import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

/** Local businesses, in six languages. */
export const PLACE_SITES: readonly CorpusSite[] = [
  {
    name: 'zahnarzt-am-markt',
    pages: {
      '/': html(
        {
          lang: 'de',
          title: 'Zahnarztpraxis am Markt, Weimar',
          description: 'Ihre Zahnarztpraxis in Weimar, mit Terminen auch am Abend.',
          head: jsonLd({ '@type': 'Dentist', name: 'Zahnarztpraxis am Markt', telephone: '+49 3643 000' }),
        },
        `<header><nav><a href="/behandlungen">Behandlungen</a><a href="/team">Unser Team</a><a href="/anfahrt">Anfahrt</a></nav><a class="telefon" href="tel:+493643000">03643 000</a></header><main><h1>Zahnarzt in Weimar, auch für Kinder</h1><p>Unsere Praxis ist am Markt, gegenüber dem Rathaus. Wir nehmen uns Zeit und erklären, was wir tun.</p><a href="/termin" class="termin-knopf">Termin vereinbaren</a><h2>Sprechzeiten</h2><p>Mo bis Do 8 bis 19 Uhr, Fr 8 bis 13 Uhr</p></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      first: 'booking_started',
      events: ['booking_started', 'phone_call_started', 'booking_confirmed'],
      // The page of directions has a page view.
      absent: ['directions_opened'],
      language: 'de',
    },
  },
  {
    name: 'bistrot-des-halles',
    pages: {
      '/': html(
        {
          lang: 'fr',
          title: 'Bistrot des Halles, Dijon',
          description: 'Cuisine de marché à Dijon, midi et soir.',
          head: jsonLd({ '@type': 'Restaurant', name: 'Bistrot des Halles' }),
        },
        `<nav><a href="/carte">La carte</a><a href="/acces">Nous trouver</a></nav><main><h1>Bistrot des Halles</h1><p>Le menu change chaque matin avec ce que nous trouvons sur le marché. Nos tables sont peu nombreuses, pensez à réserver.</p><a class="reserver" href="https://www.thefork.com/restaurant/bistrot">Réserver une table</a><h2>Horaires</h2><p>Ouvert du mardi au samedi. Menu du midi 19 €.</p><a href="tel:+33380000000">Appelez-nous</a><a href="https://www.google.com/maps/place/x">Itinéraire</a></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      first: 'table_booking_started',
      events: ['table_booking_started', 'phone_call_started', 'directions_opened'],
      language: 'fr',
    },
  },
  {
    name: 'northside-plumbing',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Northside Plumbing, Leeds',
          description: 'Emergency plumbers in north Leeds. We answer the phone at night.',
          head: '<script src="https://www.googleadservices.com/pagead/conversion.js"></script>',
        },
        `<header><a href="tel:01130000000" class="phone">0113 000 0000</a></header><main><h1>A plumber in north Leeds within two hours</h1><p>Family business since 1988. Our service area is everything north of the river.</p><form id="quote" action="/quote" method="post"><input name="name"><input type="tel" name="phone"><textarea name="job"></textarea><button type="submit">Get a free quote</button></form><h2>Opening hours</h2><p>Every day, every hour.</p><h2>Find us</h2></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      events: ['quote_requested', 'phone_call_started'],
      providers: ['Google Ads'],
      language: 'en',
    },
  },
  {
    name: 'salone-bianca',
    pages: {
      '/': html(
        {
          lang: 'it',
          title: 'Salone Bianca, parrucchiere a Modena',
          description: 'Parrucchiere a Modena per donna e uomo.',
        },
        `<nav><a href="/servizi">I nostri servizi</a><a href="/team">Il nostro team</a><a href="/dove-siamo">Dove siamo</a></nav><main><h1>Il tuo parrucchiere in centro a Modena</h1><p>Siamo in tre e conosciamo tutti i nostri clienti per nome. Non si aspetta mai più di dieci minuti.</p><button class="prenota" type="button">Prenota un appuntamento</button><h2>Orari di apertura</h2><p>Da martedì a sabato. Taglio 32 €.</p><a href="tel:+39059000">Chiama ora</a></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      first: 'booking_started',
      events: ['booking_started', 'phone_call_started'],
      language: 'it',
    },
  },
  {
    name: 'kapsalon-de-schaar',
    pages: {
      '/': html(
        {
          lang: 'nl',
          title: 'Kapsalon De Schaar, Zwolle',
          description: 'Kapsalon in Zwolle voor het hele gezin.',
          head: '<script src="https://statcounter.com/counter/counter.js"></script>',
        },
        `<nav><a href="/behandelingen">Behandelingen</a><a href="/tarieven">Tarieven</a><a href="/route">Route</a></nav><main><h1>Onze salon in het hart van Zwolle</h1><p>Wij knippen al dertig jaar, en je hoeft niet lang te wachten. Ook voor kinderen die niet stil willen zitten.</p><a href="/afspraak" class="knop">Maak een afspraak</a><h2>Openingstijden</h2><p>Dinsdag tot en met zaterdag</p><a href="tel:+31380000">Bel ons</a></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      first: 'booking_started',
      events: ['booking_started', 'phone_call_started'],
      absent: ['pricing_viewed_event'],
      providers: ['StatCounter'],
      language: 'nl',
    },
  },
  {
    name: 'biyou-hana',
    pages: {
      '/': html(
        { lang: 'ja', title: '美容室はな｜鎌倉', description: '鎌倉駅から歩いて三分の小さな美容室です。' },
        `<nav><a href="/menu">メニュー</a><a href="/staff">スタッフ紹介</a><a href="/access">アクセス</a></nav><main><h1>鎌倉の小さな美容室</h1><p>当店はお一人ずつご案内しております。ゆっくりとお過ごしください。お子さまとご一緒でも大丈夫です。</p><a href="/yoyaku" class="yoyaku">予約する</a><h2>営業時間</h2><p>十時から十九時まで。定休日は火曜日です。カット 5,500円</p><a href="tel:0467000000">電話をかける</a></main>`,
      ),
    },
    expect: {
      class: 'local_business',
      first: 'booking_started',
      events: ['booking_started', 'phone_call_started'],
      language: 'ja',
    },
  },
]
