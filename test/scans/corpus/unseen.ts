import type { CorpusSite } from './corpus-site.ts'

/**
 * Five sites as builders of sites make them: a dentist in German, a shop in Spanish, documentation, a
 * Japanese service, and a marketplace with two sides. They were written after the rules, which had not seen
 * them.
 */
export const UNSEEN_SITES: readonly CorpusSite[] = [
  {
    name: 'zahnheil',
    pages: {
      '/': `<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Zahnarzt Köln-Ehrenfeld | Dr. Yıldız & Kollegen</title><meta name="description" content="Moderne Zahnmedizin für Erwachsene und Angstpatienten in Köln-Ehrenfeld. Termine online über Doctolib."><meta name="generator" content="WordPress 6.8"><link rel="stylesheet" href="/wp-content/themes/praxis/style.css"><script src="https://cdn-cookieyes.com/client_data/abc/script.js"></script></head><body class="home page-template elementor-page"><div class="topbar"><a href="tel:+4922112345">0221 / 123 45</a> <a href="mailto:praxis@zahnheil.test">praxis@zahnheil.test</a></div><header class="elementor-section"><a href="/"><img src="/logo.svg" alt="Dr. Yıldız & Kollegen"></a><nav><ul><li><a href="/leistungen/">Leistungen</a><ul><li><a href="/leistungen/implantate/">Implantate</a></li><li><a href="/leistungen/prophylaxe/">Prophylaxe</a></li></ul></li><li><a href="/praxis/">Die Praxis</a></li><li><a href="/team/">Team</a></li><li><a href="/jobs/">Karriere</a></li><li><a href="/kontakt/">Kontakt & Anfahrt</a></li></ul></nav><a class="elementor-button" href="https://www.doctolib.de/zahnarztpraxis/koeln/yildiz"><span>Online-Termin buchen</span></a></header><main><section><h1>Ihr Zahnarzt in Köln-Ehrenfeld</h1><p>Wir nehmen uns Zeit für Sie. In unserer Praxis behandeln wir auch Patienten, die lange nicht beim Zahnarzt waren.</p><a class="elementor-button" href="https://www.doctolib.de/zahnarztpraxis/koeln/yildiz"><span>Termin vereinbaren</span></a><a class="ghost" href="/leistungen/">Unsere Leistungen</a></section><section><h2>Implantate, Prophylaxe, Bleaching</h2><p>Professionelle Zahnreinigung ab 89 €.</p></section><section><h2>Sprechzeiten</h2><table><tr><td>Montag</td><td>8–18 Uhr</td></tr></table><h2>So finden Sie uns</h2><iframe src="https://www.google.com/maps/embed?pb=1"></iframe></section><section><h2>Rückruf</h2><form class="wpcf7-form" action="/#wpcf7-f12" method="post"><input name="your-name"><input type="tel" name="your-tel"><textarea name="your-message"></textarea><input type="submit" value="Rückruf anfordern"></form></section></main><footer><a href="/impressum/">Impressum</a><a href="/datenschutz/">Datenschutz</a><a href="https://www.instagram.com/drx">Instagram</a></footer></body></html>`,
    },
    expect: {
      class: 'local_business',
      first: 'booking_started',
      events: ['booking_started', 'phone_call_started', 'contact_started', 'enquiry_received'],
      // A callback is no price.
      absent: ['quote_requested'],
      providers: ['CookieYes'],
      language: 'de',
    },
  },
  {
    name: 'casaluz',
    pages: {
      '/': `<!doctype html><html lang="es"><head><meta charset="utf-8"><title>Casa Luz – Velas artesanales de cera de soja</title><meta name="description" content="Velas de soja hechas a mano en Valencia. Envío gratis a partir de 40 €."><meta property="og:site_name" content="Casa Luz"><link rel="preconnect" href="https://cdn.shopify.com"><script src="https://cdn.shopify.com/shopifycloud/x.js"></script><script>!function(f,b,e,v,n,t,s){}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');fbq('init','123')</script></head><body><div id="shopify-section-announcement">Envío gratis a partir de 40 €</div><header><nav><a href="/collections/velas">Velas</a><a href="/collections/ambientadores">Ambientadores</a><a href="/collections/regalos">Regalos</a><a href="/pages/nosotras">Nosotras</a><a href="/blogs/diario">Diario</a></nav><a href="/search">Buscar</a><a href="/account/login">Iniciar sesión</a><a href="/cart" aria-label="Carrito"><svg></svg><span>0</span></a></header><main><h1>Velas que huelen a verano</h1><p>Hechas a mano en Valencia con cera de soja y sin parafina, para que tu casa huela como tú quieras.</p><a class="btn" href="/collections/velas">Comprar ahora</a><div class="grid"><article><a href="/products/azahar"><h3>Azahar</h3></a><span class="price">24,00 €</span><form method="post" action="/cart/add"><input type="hidden" name="id" value="1"><button name="add" type="submit">Añadir al carrito</button></form></article><article><a href="/products/higo"><h3>Higo</h3></a><span class="price">26,00 €</span><form method="post" action="/cart/add"><input type="hidden" name="id" value="2"><button name="add" type="submit">Añadir al carrito</button></form></article></div><section><h2>Únete al club</h2><p>10 % en tu primer pedido.</p><form action="/contact#newsletter" method="post"><input type="email" name="contact[email]" placeholder="Tu correo"><button type="submit">Suscribirme</button></form></section></main><footer><a href="/policies/refund-policy">Devoluciones</a><a href="/pages/contacto">Contacto</a><a href="https://wa.me/34600000000">WhatsApp</a></footer></body></html>`,
      '/products/azahar': `<!doctype html><html lang="es"><head><meta charset="utf-8"><title>Vela Azahar – Casa Luz</title><meta property="og:type" content="product"><meta property="og:site_name" content="Casa Luz"><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Vela Azahar","offers":{"@type":"Offer","price":"24.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script></head><body><header><nav><a href="/collections/velas">Velas</a></nav><a href="/cart" aria-label="Carrito"><span>0</span></a></header><main><h1>Vela Azahar</h1><p class="price">24,00 €</p><form method="post" action="/cart/add" id="product-form"><select name="id"><option>Pequeña</option></select><input type="number" name="quantity" value="1"><button type="submit" name="add">Añadir al carrito</button><button type="button" class="shopify-payment-button__button">Comprar ya</button></form><button class="wishlist">Guardar en favoritos</button><h2>Opiniones</h2><p>Huele de maravilla y dura muchísimo. Es para regalar y para quedarse.</p></main></body></html>`,
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'order_completed', 'purchase_started', 'newsletter_submitted'],
      // Its search is a link to a page.
      absent: ['search_submitted'],
      providers: ['Meta Pixel'],
      language: 'es',
    },
  },
  {
    name: 'flintdb',
    pages: {
      '/': `<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>FlintDB Docs - Introduction</title><meta name="description" content="FlintDB is an open-source embedded key-value store written in Rust."><meta name="generator" content="Starlight v0.34.2"><link rel="canonical" href="https://flintdb.test/"><script defer src="https://static.cloudflareinsights.com/beacon.min.js"></script></head><body><header><a href="/">FlintDB</a><site-search><button data-open-modal aria-label="Search"><span>Search</span><kbd>Ctrl K</kbd></button></site-search><a href="https://github.com/flint/flintdb" rel="me">GitHub</a><a href="https://discord.gg/flint">Discord</a></header><nav class="sidebar"><ul><li><a href="/intro/">Introduction</a></li><li><a href="/install/">Installation</a></li><li><a href="/guides/transactions/">Transactions</a></li><li><a href="/reference/cli/">CLI reference</a></li></ul></nav><main><h1>Introduction</h1><p>FlintDB is an embedded key-value store for applications that must start in milliseconds. It has no server and no dependencies.</p><h2>Install</h2><div class="expressive-code"><pre><code>cargo add flintdb</code></pre><div class="copy"><button title="Copy to clipboard" data-code="cargo add flintdb"><div></div></button></div></div><h2>First steps</h2><pre><code>let db = Flint::open("data")?;</code></pre><pre><code>db.put("a", "b")?;</code></pre><a href="/install/" class="next">Next: Installation</a><a href="https://github.com/flint/flintdb/edit/main/src/intro.mdx">Edit page</a><p>Was this page helpful?</p><button class="vote">Yes</button><button class="vote">No</button></main><footer><a href="https://github.com/sponsors/flint">Sponsor</a></footer></body></html>`,
    },
    expect: {
      class: 'docs',
      first: 'code_copied',
      events: ['code_copied', 'search_submitted', 'search_without_result', 'setup_finished'],
      providers: ['Cloudflare Web Analytics'],
      language: 'en',
    },
  },
  {
    name: 'kintai',
    pages: {
      '/': `<!doctype html><html lang="ja"><head><meta charset="utf-8"><title>キンタイくん｜中小企業のための勤怠管理システム</title><meta name="description" content="キンタイくんは、中小企業のためのクラウド勤怠管理システムです。初期費用0円、1人あたり月額200円から。"><script src="https://www.googletagmanager.com/gtm.js?id=GTM-ABC"></script><script src="/_nuxt/entry.abc.js" type="module"></script></head><body><div id="__nuxt"><header><a href="/">キンタイくん</a><nav><a href="/features">機能</a><a href="/price">料金</a><a href="/case">導入事例</a><a href="/faq">よくある質問</a></nav><a href="/login">ログイン</a><a href="/document" class="btn sub">資料請求</a><a href="/trial" class="btn main">無料で試す</a></header><main><h1>勤怠管理を、もっとかんたんに。</h1><p>スマートフォンで打刻、シフト作成から給与計算ソフトとの連携まで。3,000社以上が導入しています。</p><a href="/trial" class="cta">30日間無料トライアル</a><a href="/document" class="cta2">資料をダウンロード</a><section><h2>料金プラン</h2><div><h3>ライト</h3><p>月額200円／人</p></div><div><h3>スタンダード</h3><p>月額300円／人</p></div></section><section><h2>お問い合わせ</h2><a href="/contact">お問い合わせはこちら</a></section></main></div></body></html>`,
      '/trial': `<!doctype html><html lang="ja"><head><meta charset="utf-8"><title>無料トライアルお申し込み｜キンタイくん</title></head><body><main><h1>無料トライアルお申し込み</h1><form action="/api/trial" method="post"><label>会社名<input name="company"></label><label>メールアドレス<input type="email" name="email"></label><label>パスワード<input type="password" name="password"></label><button type="submit">申し込む</button></form></main></body></html>`,
    },
    expect: {
      class: 'saas',
      first: 'trial_started',
      events: ['trial_started', 'signup_completed', 'contact_started'],
      // Documents about the product are no product, and asking for them is no quote.
      absent: ['app_download_started', 'quote_requested'],
      providers: ['Google Tag Manager'],
      language: 'ja',
    },
  },
  {
    name: 'bikemate',
    pages: {
      '/': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bikemate - Rent bikes from local owners</title><meta name="description" content="Find a bike for your trip, or rent yours out when you do not ride."><script src="https://cdn.segment.com/analytics.js/v1/abc/analytics.min.js"></script><script src="/_next/static/chunks/main-app.js"></script></head><body><div id="__next"><header><a href="/">Bikemate</a><a href="/how-it-works">How it works</a><a href="/owners">Rent out your bike</a><a href="/login">Log in</a><a href="/signup">Sign up</a></header><main><h1>Rent a bike from someone nearby</h1><form action="/search"><input name="where" placeholder="Where are you going?"><input name="from" type="date"><input name="to" type="date"><button type="submit">Find bikes</button></form><h2>Popular cities</h2><a href="/berlin">Berlin</a><a href="/lisbon">Lisbon</a><article><a href="/bikes/gravel-42"><h3>Gravel bike, size M</h3></a><p>€25 / day</p><p>4.9 (31 reviews)</p></article><section><h2>Earn with your bike</h2><p>Owners earn €180 a month on average. Every rental is insured.</p><a href="/list-your-bike" class="button">List your bike</a></section></main><footer><a href="/help">Help centre</a><a href="/press">Press</a></footer></div></body></html>`,
      '/bikes/gravel-42': `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gravel bike, size M | Bikemate</title></head><body><div id="__next"><header><a href="/">Bikemate</a><a href="/login">Log in</a><a href="/signup">Sign up</a></header><main><h1>Gravel bike, size M</h1><p>Hosted by Marta in Berlin. €25 / day</p><form><input type="date" name="from"><input type="date" name="to"><button type="submit" data-testid="request-to-book">Request to book</button></form><button class="heart" aria-label="Save to favourites"></button><button class="msg">Message Marta</button><h2>Reviews</h2><p>Great bike.</p></main></div></body></html>`,
    },
    expect: {
      class: 'marketplace',
      events: ['search_submitted', 'listing_started', 'seller_contacted', 'booking_started', 'deal_agreed'],
      providers: ['Segment'],
      language: 'en',
    },
  },
]
