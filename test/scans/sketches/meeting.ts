import { sketch } from './sketch-site.ts'

/** Communities, sites whose kind does not show, and two more of other kinds. */
export const MEETING_SKETCHES = [
  sketch(
    'puutarhapalsta',
    {
      kind: 'community',
      language: 'fi',
      main: ['Aloita keskustelu', 'Vastaa', 'Uusi'],
      wants: [/topic|keskustelu|reply|member/i],
      never: /goal|limit|cart/,
    },
    `
    = / fi Puutarhapalsta :: Keskustelupalsta puutarhasta.
    head <meta name="generator" content="Discourse 3.6">
    header
    a /signup Rekisteröidy
    main
    h1 Uusimmat keskustelut
    b.btn-primary#create-topic Aloita keskustelu
    a /t/omena/1 Omenapuun leikkaus
    p Tällä palstalla puhutaan kaikesta, mikä kasvaa. Jäsenet auttavat toisiaan, ja tyhmiä kysymyksiä ei ole, kunhan kertoo missä päin Suomea puutarha on.
    = /t/omena/1 fi Omenapuun leikkaus - Puutarhapalsta
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"DiscussionForumPosting","headline":"Omenapuu"}</script>
    main
    h1 Omenapuun leikkaus
    form /posts viesti:textarea * Vastaa`,
  ),
  sketch(
    'moto-vopros',
    {
      kind: 'community',
      language: 'ru',
      main: ['Задать вопрос', 'Ответить'],
      wants: [/topic|вопрос|reply|post/i],
      never: /goal|limit|cart/,
    },
    `
    = / ru Мотовопрос: вопросы о мотоциклах :: Вопросы и ответы о мотоциклах.
    header
    a /signup Регистрация
    main
    h1 Последние вопросы
    a.btn.btn-primary /ask Задать вопрос
    a /q/1 Не заводится после зимы
    p Здесь мотоциклисты помогают друг другу: кто-то уже чинил такой же мотор и знает ответ. Напишите, что случилось и что вы уже пробовали, и вам ответят.
    = /q/1 ru Не заводится после зимы | Мотовопрос
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"QAPage","name":"Не заводится"}</script>
    main
    h1 Не заводится после зимы
    form /q/1/answer otvet:textarea * Ответить`,
  ),
  sketch(
    'owl-and-oak',
    {
      kind: ['unknown', 'content', 'portfolio'],
      language: 'en',
      main: ['Read the letter', 'Hear the record'],
      never: /goal_reached|main_choice|limit|signup/,
    },
    `
    = / en Owl & Oak :: Owl & Oak, since 2011.
    main
    h1 Owl & Oak
    p We began in a shed in 2011 and we are still there. This page is all that we have, and it changes once a year, in November, when the leaves are down.
    a.big.button /letter Read the letter
    a /record Hear the record`,
  ),
  sketch(
    'ida-links',
    {
      kind: ['unknown', 'portfolio', 'content'],
      language: 'en',
      main: ['My book', 'New song'],
      never: /goal_reached|main_choice|limit/,
    },
    `
    = / en Ida Wren :: All links of Ida Wren, singer and writer.
    main
    h1 Ida Wren
    p Singer and writer from the north coast. Everything that I make is behind one of these links, and the newest thing is always on top of the list.
    a.link-button https://open.spotify.com/track/1 New song
    a.link-button https://bookshop.test/ida My book
    a.link-button https://www.instagram.com/idawren Pictures`,
  ),
  sketch(
    'eesti-talu',
    { kind: 'shop', language: 'et', main: 'Lisa ostukorvi', wants: [/cart/], never: /goal|limit/ },
    `
    = / et Talu Pood: juust ja või talust :: Juust ja või otse talust.
    ${'head <link rel="stylesheet" href="/wp-content/plugins/woocommerce/style.css">'}
    main
    h1 Juust otse talust
    p Meie talus on kaksteist lehma ja iga juust valmib käsitsi. Tellimused saadame teele esmaspäeviti, et juust jõuaks teieni värskena ja külmana.
    < <form class="cart" method="post"><input type="number" name="quantity"><button type="submit" name="add-to-cart" value="4" class="single_add_to_cart_button button alt">Lisa ostukorvi</button></form>
    p 8,90 €`,
  ),
  sketch(
    'sofra-lokanta',
    { kind: 'local_business', language: 'fa', main: ['رزرو میز'], wants: [/book|رزرو/], never: /goal|limit/ },
    `
    = / fa رستوران سفره، شیراز :: غذای خانگی در دل شیراز.
    head <script type="application/ld+json">{"@context":"https://schema.org","@type":"Restaurant","name":"رستوران سفره"}</script>
    main
    h1 رستوران سفره
    p ما هر روز غذای خانگی می‌پزیم و از مهمان‌های خود مثل خانواده پذیرایی می‌کنیم. رستوران از ساعت دوازده تا نیمه‌شب باز است و برای گروه‌های بزرگ هم جا داریم.
    form /reserve tarikh:date saat:time nafar:number * رزرو میز`,
  ),
]
