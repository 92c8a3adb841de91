import { type CorpusSite, html, jsonLd } from './corpus-site.ts'

/** Shops, in six languages. */
export const SHOP_SITES: readonly CorpusSite[] = [
  {
    name: 'leafandkettle',
    pages: {
      '/': html(
        {
          lang: 'en',
          title: 'Leaf & Kettle | Loose tea from small gardens',
          description: 'Loose leaf tea from eleven small gardens, packed the week you order it.',
          head: '<script src="https://cdn.shopify.com/s/files/1/theme.js"></script><script src="https://static.klaviyo.com/onsite/js/klaviyo.js"></script>',
        },
        `<header><nav><a href="/collections/green">Green</a><a href="/collections/black">Black</a><a href="/collections/gifts">Gift cards</a></nav><form role="search" action="/search"><input type="search" name="q"><button>Search</button></form><a href="/cart" aria-label="Cart">0</a></header>
        <main><h1>Tea with an address</h1><p>Every box names the garden and the week of the harvest. Free shipping from £30, and returns within a month.</p><h2>New arrivals</h2><a href="/products/first-flush">First Flush Darjeeling £14.50</a><a href="/products/smoked">Smoked Black £9.00</a></main>
        <footer><form action="/newsletter"><label>Newsletter: a letter for each harvest</label><input type="email" name="email"><button>Subscribe</button></form></footer>`,
      ),
      '/products/first-flush': html(
        {
          lang: 'en',
          title: 'First Flush Darjeeling | Leaf & Kettle',
          head: `<script src="https://cdn.shopify.com/s/files/1/theme.js"></script><meta property="og:type" content="product">${jsonLd({ '@type': 'Product', name: 'First Flush Darjeeling', offers: { '@type': 'Offer', price: '14.50', priceCurrency: 'GBP' } })}`,
        },
        `<header><a href="/cart" aria-label="Cart">0</a></header><main><h1>First Flush Darjeeling</h1><p>£14.50</p><p>In stock. Light, floral, from the Selim garden. Delivery in three days.</p><form action="/cart/add" method="post"><input type="hidden" name="id" value="77"><input type="number" name="quantity" value="1"><button type="submit" name="add">Add to bag</button></form><button class="wish">Add to wishlist</button></main>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'checkout_started', 'order_completed'],
      providers: ['Klaviyo'],
      language: 'en',
    },
  },
  {
    name: 'toepferei-lindner',
    pages: {
      '/': html(
        {
          lang: 'de',
          title: 'Töpferei Lindner – Steinzeug für jeden Tag',
          description: 'Becher, Teller und Schalen aus Steinzeug, in Handarbeit gedreht.',
          head: '<link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/style.css"><script src="/wp-content/plugins/borlabs-cookie/assets/x.js"></script>',
        },
        `<header><nav><a href="/shop">Sortiment</a><a href="/versand">Versand und Retoure</a><a href="/warenkorb">Warenkorb</a></nav></header><main><h1>Steinzeug, das in die Spülmaschine darf</h1><p>Wir drehen jedes Stück von Hand und brennen es zweimal. Die Lieferung dauert drei Tage, und der Versand ist ab 60 Euro kostenlos.</p><article><h3>Becher, hoch</h3><p>24,00 €</p><a class="add_to_cart_button" href="/?add-to-cart=12">In den Warenkorb</a></article><article><h3>Teller, flach</h3><p>32,00 €</p><a class="add_to_cart_button" href="/?add-to-cart=13">In den Warenkorb</a></article><h2>Neuheiten</h2></main>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'checkout_started', 'order_completed'],
      providers: ['Borlabs Cookie'],
      language: 'de',
    },
  },
  {
    name: 'olio-ferrante',
    pages: {
      '/': html(
        {
          lang: 'it',
          title: 'Olio Ferrante | Olio extravergine dal produttore',
          description: 'Olio extravergine di oliva della famiglia Ferrante, spedito dal frantoio.',
          head: jsonLd({
            '@type': 'Product',
            name: 'Olio extravergine 5 litri',
            offers: { '@type': 'Offer', price: '68' },
          }),
        },
        `<header><nav><a href="/prodotti">Prodotti</a><a href="/spedizioni">Spedizioni</a><a href="/carrello">Carrello</a></nav></header><main><h1>L'olio della nostra famiglia</h1><p>Raccogliamo le olive a mano e le portiamo al frantoio nello stesso giorno. La spedizione gratuita è inclusa per gli ordini di almeno due lattine.</p><h2>Latta da 5 litri</h2><p>€ 68,00</p><button class="aggiungi" type="button">Aggiungi al carrello</button><h2>Novità</h2><p>Disponibile da novembre.</p></main><footer><form><label>Iscriviti alla newsletter</label><input type="email" name="email"><button>Iscriviti</button></form></footer>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'order_completed'],
      language: 'it',
    },
  },
  {
    name: 'ksiegarnia-pod-lipa',
    pages: {
      '/': html(
        {
          lang: 'pl',
          title: 'Księgarnia Pod Lipą',
          description:
            'Mała księgarnia z Torunia: książki dla dzieci i dla dorosłych, wysyłka w jeden dzień.',
          head: '<meta name="generator" content="PrestaShop">',
        },
        `<header><nav><a href="/nowosci">Nowości</a><a href="/bestsellery">Bestsellery</a><a href="/koszyk">Koszyk</a></nav><form action="/szukaj"><input name="s" placeholder="Szukaj książki"><button>Szukaj</button></form></header><main><h1>Książki, które czytamy sami</h1><p>Wybieramy każdą książkę i wysyłamy ją tego samego dnia. Darmowa dostawa od 120 zł, a zwroty są proste.</p><div class="produkt"><h3>Ostatni sad</h3><p>39,90 zł</p><button class="do-koszyka">Dodaj do koszyka</button></div></main>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'checkout_started'],
      language: 'pl',
    },
  },
  {
    name: 'wagashi-tsuru',
    pages: {
      '/': html(
        {
          lang: 'ja',
          title: '和菓子つる｜季節のお菓子をお届けします',
          description: '和菓子つるは、季節の上生菓子をご家庭にお届けする小さなお店です。',
        },
        `<header><nav><a href="/items">商品一覧</a><a href="/guide">送料と配送</a><a href="/cart">カートを見る</a></nav></header><main><h1>季節の和菓子をお届けします</h1><p>毎朝つくったお菓子を、その日のうちに発送しています。送料無料は五千円からです。冬の新着商品もございます。</p><h2>柿の上生菓子 六個入り</h2><p>2,400円</p><button id="add-kaki">カートに入れる</button><h2>ギフト</h2><p>のし紙をおつけします。</p></main>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'checkout_started'],
      language: 'ja',
    },
  },
  {
    name: 'loja-maresia',
    pages: {
      '/': html(
        {
          lang: 'pt-PT',
          title: 'Maresia – pranchas feitas à mão',
          description: 'Pranchas de surf feitas à mão em Ericeira, com envio para toda a Europa.',
          head: '<script src="https://connect.facebook.net/en_US/fbevents.js"></script>',
        },
        `<header><nav><a href="/produtos">Produtos</a><a href="/envios">Envios e devoluções</a><a href="/carrinho">Carrinho</a></nav></header><main><h1>Pranchas feitas para ondas pequenas</h1><p>Cada prancha é feita por encomenda e demora quatro semanas. Os portes grátis são para Portugal, e as devoluções são aceites em trinta dias.</p><section class="ficha"><h2>Sardinha 5'8"</h2><p>620,00 €</p><a class="botao-comprar" href="/carrinho?add=5">Adicionar ao carrinho</a></section><h2>Novidades</h2></main>`,
      ),
    },
    expect: {
      class: 'shop',
      first: 'product_added_to_cart',
      events: ['product_added_to_cart', 'order_completed'],
      providers: ['Meta Pixel'],
      language: 'pt',
    },
  },
]
