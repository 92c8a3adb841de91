import { sketch } from './sketch-site.ts'

/**
 * Sites that were sketched before the last change of the rules, and judged for the first time after it. No
 * rule was mended by them: they say how the rules do with sites that nobody had in mind. Who mends a rule by
 * one moves it to another file.
 */
export const HELD_OUT_SKETCHES = [
  sketch(
    'physio-am-see',
    {
      kind: 'local_business',
      language: 'de',
      main: ['Termin', 'onedoc'],
      wants: [/book|termin|appointment/i, /phone|call|tel:/i],
      never: /goal|limit|signup|cart|application_submitted/,
      name: 'Physiotherapie am See',
    },
    `
    = / de Startseite - Physiotherapie am See, Rapperswil :: Ihre Praxis für Physiotherapie und Lymphdrainage in Rapperswil.
    < <div class="cookie-banner" role="dialog"><p>Wir verwenden Cookies.</p><button class="btn btn-primary">Alle akzeptieren</button></div>
    nav
    a / Startseite
    a /team Team
    a /angebot Angebot
    a /offene-stellen Offene Stellen
    main
    h1 Bewegung tut gut
    p Nach einer Operation, bei Rückenschmerzen oder nach einem Sportunfall: Wir nehmen uns Zeit. Unsere Praxis liegt zwei Minuten vom Bahnhof, und die Krankenkasse zahlt bei ärztlicher Verordnung.
    a.cta https://www.onedoc.ch/de/physio/rapperswil/1 Termin online vereinbaren
    h2 Aktuelles
    a /aktuelles/neue-kollegin Neue Kollegin im Team
    footer
    a tel:+41550000000 055 000 00 00
    a mailto:praxis@see.test praxis@see.test`,
  ),
  sketch(
    'honey-shop-sk',
    {
      kind: 'shop',
      language: 'sk',
      main: ['Beriem', 'kosik', 'cart'],
      wants: [/cart|beriem/i],
      never: /goal|limit|app_|creation/,
    },
    `
    = / sk Včelí dvor | Med priamo od včelára :: Agátový, lipový a lesný med z Kysúc.
    header
    a /medy Medy
    a /o-nas O nás
    a.cart-link /kosik Košík (0)
    main
    h1 Med, ktorý má meno
    p Náš med stáčame sami a nemiešame ho s iným. Každý pohár má číslo úľa, z ktorého pochádza, a balíček odosielame do dvoch pracovných dní po celom Slovensku.
    a /medy/agatovy Agátový med
    a /medy/lipovy Lipový med
    = /medy/agatovy sk Agátový med 950 g | Včelí dvor
    head <meta property="og:type" content="product"><meta property="product:price:amount" content="9.90"><meta property="product:price:currency" content="EUR">
    main
    h1 Agátový med 950 g
    p 9,90 €
    form.product__form /kosik/pridat product_id:hidden quantity:number * Beriem
    p Svetlý, riedky a dlho nekryštalizuje.`,
  ),
  sketch(
    'sms-gateway',
    {
      kind: ['api', 'saas'],
      language: 'en',
      main: ['Get a key'],
      wants: [/key|signup/i],
      never: /goal|newsletter|cart|app_downloaded/,
      price: null,
    },
    `
    = / en Pigeonpost: text messages from code :: Send and receive SMS with one HTTP call.
    header
    a /docs Docs
    a /status Status
    a /login Log in
    main
    h1 One call, one message
    p Pigeonpost delivers to 190 countries and tells your webhook what happened. You pay €0.006 per message part and nothing a month; numbers that do not exist cost nothing.
    < <pre><code>curl https://api.pigeonpost.test/v2/messages -H "Authorization: Bearer $KEY" -d to=+4512345678 -d text=hi</code></pre>
    a.button-large /keys/new Get a key
    = /docs en Docs: Pigeonpost
    main
    h1 Install the SDK
    p Install the package for your language, set the key, and call send. Every answer has an id, and the webhook names it again when the message has arrived at the phone.`,
  ),
  sketch(
    'masjid-bandung',
    {
      kind: 'nonprofit',
      language: 'id',
      main: ['Infak', 'Donasi'],
      wants: [/donat|infak/i],
      never: /goal|limit|cart|signup|seller|offer/,
    },
    `
    = / id Beranda | Masjid Al-Hidayah Bandung :: Jadwal salat, kajian dan infak Masjid Al-Hidayah.
    nav
    a / Beranda
    a /jadwal Jadwal Salat
    a /kajian Kajian
    main
    h1 Masjid Al-Hidayah
    p Masjid kami terbuka setiap hari untuk jamaah dan musafir. Infak Anda dipakai untuk membantu anak yatim di sekitar masjid, merawat bangunan, dan mengadakan kajian setiap Ahad pagi.
    a.btn.btn-success /infak Infak Sekarang
    a /laporan Laporan keuangan
    = /infak id Infak | Masjid Al-Hidayah Bandung
    main
    h1 Salurkan infak Anda
    form.form-infak /infak/kirim nominal:number nama email:email * Kirim Infak`,
  ),
  sketch(
    'island-jobs',
    {
      kind: 'jobs',
      language: 'el',
      main: ['Υποβολή', 'Αναζήτηση', 'Κάνε αίτηση'],
      wants: [/application|αίτηση|αίτησης/i],
      never: /goal|limit|creation|cart/,
    },
    `
    = / el Δουλειές στα νησιά :: Θέσεις εργασίας για τη σεζόν σε ξενοδοχεία και εστιατόρια.
    header
    a /ergodotes Για εργοδότες
    main
    h1 Βρες δουλειά για το καλοκαίρι
    form.search /theseis nisi:select eidikotita * Αναζήτηση
    p Εδώ θα βρεις θέσεις εργασίας για τη σεζόν σε ξενοδοχεία, εστιατόρια και μαρίνες. Κάθε αγγελία γράφει τον μισθό, τις ώρες και αν υπάρχει διαμονή, και ο εργοδότης απαντά μέσα σε μία εβδομάδα.
    a /theseis/12 Σερβιτόρος, Πάρος
    a /theseis/15 Μάγειρας, Νάξος
    = /theseis/12 el Σερβιτόρος στην Πάρο | Δουλειές στα νησιά
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Σερβιτόρος"}</script>
    main
    h1 Σερβιτόρος στην Πάρο
    p Ζητείται σερβιτόρος για εστιατόριο στη Νάουσα, από Μάιο έως Οκτώβριο, με διαμονή.
    form /aitisi name phone:tel cv:file * Υποβολή αίτησης`,
  ),
  sketch(
    'sleep-sounds',
    {
      kind: 'app_store_page',
      language: 'ko',
      main: ['App Store', 'apple', 'play.google', 'Google'],
      wants: [/download/i],
      never: /goal|limit|cart|signup_completed/,
    },
    `
    = / ko 밤소리 – 잠들기 좋은 소리 :: 빗소리와 파도 소리로 잠드는 앱.
    main
    h1 오늘 밤은 푹 주무세요
    p 밤소리는 전국에서 직접 녹음한 빗소리와 파도 소리를 들려줍니다. 광고가 없고 인터넷이 없어도 들을 수 있으며, 잠이 들면 소리가 천천히 줄어듭니다.
    < <div class="badges"><a href="https://apps.apple.com/kr/app/id123"><img src="/apple.svg" alt="App Store에서 다운로드하기"></a><a href="https://play.google.com/store/apps/details?id=kr.bamsori"><img src="/google.svg" alt="Google Play에서 다운로드"></a></div>
    footer
    form /subscribe email:email * 소식 받기
    a /privacy 개인정보 처리방침`,
  ),
  sketch(
    'gazette-velo',
    {
      kind: 'content',
      language: 'fr',
      main: ['article', 'newsletter', 'Recevoir'],
      wants: [/article/, /newsletter|recevoir/i],
      never: /goal|limit|cart|creation|trial/,
    },
    `
    = / fr La Gazette du vélo :: Le journal de celles et ceux qui roulent.
    head <meta name="generator" content="Ghost 5.90"><script type="application/ld+json">{"@context":"https://schema.org","@type":"WebSite","name":"La Gazette du vélo"}</script>
    header
    a /equipements Équipements
    a /voyages Voyages
    < <a href="#/portal/signin" data-portal="signin">Se connecter</a>
    main
    < <article class="post-card"><h2><a href="/canal-du-midi">Le canal du Midi en cinq jours</a></h2></article>
    < <article class="post-card"><h2><a href="/freins">Freins à disque : faut-il changer ?</a></h2></article>
    < <article class="post-card"><h2><a href="/hiver">Rouler en hiver</a></h2></article>
    < <form class="gh-form" data-members-form="subscribe"><input type="email" data-members-email name="email"><button type="submit">Recevoir la lettre du dimanche</button></form>
    = /canal-du-midi fr Le canal du Midi en cinq jours
    head <meta property="og:type" content="article">
    main
    h1 Le canal du Midi en cinq jours
    p De Toulouse à Sète, le chemin suit l'eau et les platanes. Nous avons roulé cinq jours, dormi dans des maisons d'éclusiers et mangé beaucoup trop de cassoulet, malgré la chaleur.`,
  ),
  sketch(
    'invoice-hu',
    {
      kind: 'saas',
      language: 'hu',
      main: ['Kezdjük el', 'Regisztr'],
      wants: [/signup|trial|kezdjük|regisztr/i],
      never: /goal|cart|creation|limit/,
    },
    `
    = / hu Számlapaca – számlázó program kisvállalkozóknak :: Online számlázó, amely ért az adóhoz.
    header
    a /funkciok Funkciók
    a /arak Árak
    a /blog Blog
    a /belepes Belépés
    main
    h1 Számlázz két perc alatt
    p A Számlapaca elküldi a számlát az ügyfelednek, jelenti az adóhivatalnak, és szól, ha valaki nem fizetett. Nem kell telepíteni, böngészőből és telefonról is működik.
    a.inline-flex.rounded-full.bg-indigo-600.px-8.py-3.text-white /uj-fiok Kezdjük el
    = /arak hu Árak | Számlapaca
    main
    h1 Árak
    h2 Egyéni
    p 1 990 Ft / hó
    h2 Cég
    p 4 990 Ft / hó
    a.rounded-full.bg-indigo-600.text-white /uj-fiok?csomag=ceg Ezt kérem
    = /uj-fiok hu Új fiók | Számlapaca
    main
    h1 Új fiók
    form /api/accounts email:email jelszo:password * Fiók létrehozása`,
  ),
  sketch(
    'parser-docs-ja',
    {
      kind: 'docs',
      language: 'ja',
      main: ['検索', 'docsearch', 'search', 'GitHub', 'はじめる', 'コピー', 'copied'],
      never: /goal|limit|cart|app_downloaded|signup/,
    },
    `
    = / ja はじめに | Kirin パーサー :: 日本語の住所を構造化するライブラリの説明書。
    head <meta name="generator" content="Docusaurus v3.5">
    nav
    < <a class="navbar__item" href="https://github.com/kirin/parser">GitHub</a>
    < <button class="DocSearch DocSearch-Button" aria-label="検索"></button>
    main
    h1 はじめに
    p Kirin は日本語の住所を都道府県、市区町村、番地に分けるライブラリです。辞書は毎月更新され、ブラウザでもサーバーでも同じ結果になります。
    a.button.button--primary /install はじめる
    < <pre><code>npm install kirin-parser</code></pre><button class="clean-btn" aria-label="コードをコピー" type="button">コピー</button>
    = /install ja インストール | Kirin パーサー
    head <meta name="generator" content="Docusaurus v3.5">
    main
    h1 インストール
    p パッケージを追加してから、辞書を一度だけ読み込みます。辞書は二メガバイトほどで、最初の呼び出しの前に読み込んでおくと速くなります。
    < <div class="feedback"><p>このページは役に立ちましたか？</p><button type="button">はい</button><button type="button">いいえ</button></div>`,
  ),
  sketch(
    'street-theatre',
    {
      kind: 'event',
      language: 'ro',
      main: ['bilet', 'iabilet', 'Rezerv'],
      wants: [/ticket|bilet|purchase/i],
      never: /goal|limit|cart_|signup|article/,
    },
    `
    = / ro Strada Vie 2027 - festival de teatru de stradă, Sibiu :: Festival internațional de teatru de stradă, 12-15 iunie 2027.
    nav
    a /program Program
    a /artisti Artiști
    a /voluntari Voluntari
    main
    h1 Patru zile în care orașul este scenă
    p Festivalul aduce la Sibiu treizeci de companii din zece țări. Spectacolele din piață sunt gratuite, iar pentru cele din curtea muzeului este nevoie de bilet, fiindcă locurile sunt puține.
    a.elementor-button https://www.iabilet.ro/bilete-strada-vie-2027 Cumpără bilete
    < <iframe src="https://www.iabilet.ro/widget/strada-vie" title="Bilete"></iframe>
    footer
    form /newsletter email:email * Abonează-te`,
  ),
]
