import { sketch } from './sketch-site.ts'

/** Jobs, documentation, tools and others of the sites of later.ts. */
export const LATER_TOOLS = [
  sketch(
    'trabajo-tech',
    {
      kind: 'jobs',
      language: 'es',
      main: ['Aplicar', 'Postular', 'Buscar'],
      wants: [/application|aplicar|postular/i],
      never: /goal|limit|creation|seller/,
    },
    `
    = / es TrabajoTech: empleos de programación en Latinoamérica :: Empleos remotos para programadores.
    header
    a.btn /publicar Publicar un empleo
    main
    h1 Empleos para programadores
    form /empleos q pais:select seniority:select * Buscar
    p Todos los empleos dicen el salario y el país. Las empresas responden en dos semanas o su anuncio desaparece de la lista, sin excepciones.
    a /empleos/77 Backend en Go, remoto, tiempo completo
    = /empleos/77 es Backend en Go | TrabajoTech
    main
    h1 Backend en Go
    p Buscamos una persona con tres años de experiencia en Go. Salario de 4000 USD al mes, contrato indefinido y jornada completa.
    a.btn.btn-primary /empleos/77/aplicar Aplicar a este empleo`,
  ),
  sketch(
    'svit-docs',
    {
      kind: 'docs',
      language: 'en',
      main: ['Search', 'Copy', 'helpful', 'Yes', 'vote'],
      wants: [/search|code_copied|feedback/],
      never: /goal|limit|app_download|signup/,
    },
    `
    = / en Svit reference :: Reference and guides of the Svit template engine.
    head <meta name="generator" content="VitePress v1.3">
    header
    form /search q:search * Search
    a /guide/install Install
    a /reference Reference
    main
    h1 What is Svit?
    p Svit renders templates on the server. This guide begins with the installation and ends with a small application. Every example on this page can be copied and run.
    < <pre><code>npm create svit</code></pre><button class="copy" title="Copy Code" type="button"></button>
    = /reference en Reference | Svit
    head <meta name="generator" content="VitePress v1.3">
    main
    h1 Reference
    < <pre><code>render(template, data)</code></pre>
    < <div class="was-this-helpful"><span>Did this page help?</span><button type="button">Yes</button><button type="button">No</button></div>`,
  ),
  sketch(
    'pixel-loom',
    {
      kind: 'app',
      language: 'en',
      main: ['Weave', 'Open an image'],
      wants: [/weave|open_an_image|creation|result|export/i],
      never: /goal|article|seller|signup_completed/,
    },
    `
    = / en Pixel Loom: turn a photo into a weaving draft :: Turn a photo into a weaving draft, in your browser.
    main
    h1 A photo becomes a weaving draft
    p Choose a photo, set the number of threads and get a draft that your loom understands. Everything happens in the browser, nothing is stored.
    < <label>Threads <input type="number" name="threads"></label><input type="range" name="contrast"><input type="file" name="photo">
    b.primary#weave Weave it
    b#save Download the draft`,
  ),
  sketch(
    'mat-bang',
    {
      kind: 'marketplace',
      language: 'vi',
      main: ['Đăng tin', 'Gọi', 'Tìm', 'Nhắn tin'],
      wants: [/listing|đăng|dang_tin|contact|seller/i],
      never: /goal|limit|creation/,
    },
    `
    = / vi MặtBằng: cho thuê mặt bằng kinh doanh :: Tin cho thuê mặt bằng từ chính chủ.
    header
    a.btn.btn-primary /dang-tin Đăng tin
    a /dang-nhap Đăng nhập
    main
    h1 Mặt bằng từ chính chủ
    form /tim quan:select gia:number * Tìm
    p Người cho thuê đăng tin miễn phí và trả lời trực tiếp qua điện thoại. Mỗi tin đều có giá, diện tích và hình ảnh thật do chủ nhà chụp.
    = /tin/5 vi Mặt bằng 40 m² quận 3 | MặtBằng
    main
    h1 Mặt bằng 40 m² quận 3
    p 18 triệu mỗi tháng
    b.btn-primary Nhắn tin cho chủ nhà`,
  ),
  sketch(
    'frau-holle',
    {
      kind: ['local_business', 'portfolio'],
      language: 'de',
      main: ['Kennenlernen', 'Schreib'],
      wants: [/contact|kennenlernen|enquiry|book/i],
      never: /goal|limit|signup/,
    },
    `
    = / de Start | Frau Holle Hebammen :: Hebammen in Weimar: Vorsorge, Geburt und Wochenbett.
    nav
    a /angebot Angebot
    a /ueber-uns Über uns
    main
    h1 Frau Holle Hebammen
    p Wir sind drei Hebammen in Weimar und begleiten Familien vom ersten Test bis zum Abstillen. Ruf uns früh an, denn die Plätze für den Sommer sind schnell vergeben.
    a.wp-block-button__link /kennenlernen Kennenlernen
    footer
    a tel:+493643 03643`,
  ),
  sketch(
    'pay-stacks',
    {
      kind: ['api', 'saas'],
      language: 'en',
      main: ['Start integrating', 'Read the reference'],
      wants: [/integrat|signup|docs|key/i],
      never: /goal|limit|cart/,
      price: null,
    },
    `
    = / en Paystacks: one API for local payments :: One API for local payments in forty countries.
    header
    a /reference Reference
    a /login Sign in
    main
    h1 One API for local payments
    p Developers add forty payment methods with a single endpoint. You pay 0.9 % and $0.02 per request, nothing per month. SDKs exist for six languages and the sandbox is free.
    < <pre><code>POST /v1/charges {"amount":1000,"method":"pix"}</code></pre>
    a.rounded.bg-indigo-600.px-4.text-white /dashboard/new Start integrating`,
  ),
]
