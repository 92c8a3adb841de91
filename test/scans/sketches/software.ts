import { sketch } from './sketch-site.ts'

/** Services and interfaces. */
export const SOFTWARE_SKETCHES = [
  sketch(
    'spacewright',
    {
      kind: 'saas',
      language: 'en',
      main: 'Launch a workspace',
      wants: [/launch|signup/i, /plan|pricing|demo|signup/],
      never: /goal|main_choice|article/,
      name: 'Spacewright',
    },
    `
    = / en Spacewright: the workspace for field teams :: The workspace that field teams use without training.
    header
    a /features Features
    a /pricing Pricing
    a /login Log in
    a.btn.btn-primary /start-here Launch a workspace
    main
    h1 One workspace for the whole field team
    p Spacewright keeps plans, photos and messages of a site in one place, and works without a connection. Integrations with your calendar and your accounting.
    a.btn.btn-primary.btn-lg /start-here Launch a workspace
    = /pricing en Pricing | Spacewright
    main
    h1 Pricing
    h2 Crew
    p $12 per user per month
    a.btn /start-here?plan=crew Choose Crew
    h2 Company
    p $29 per user per month
    a.btn /start-here?plan=company Choose Company`,
  ),
  sketch(
    'quietmail',
    {
      kind: 'saas',
      language: 'en',
      main: 'Email me a link',
      wants: [/signup|sign_up|login|link/i],
      never: /newsletter|goal|main_choice/,
    },
    `
    = / en Quietmail: email that waits :: Email that waits until you have time.
    header
    a /pricing Pricing
    a /login Log in
    main
    h1 Email that waits
    p Quietmail holds your messages until the hours that you choose. Free for one address, four dollars per month for a team, no credit card needed to start.
    form.signup /auth/magic-link email:email * Email me a link
    = /login en Log in | Quietmail
    main
    h1 Log in
    form /auth/magic-link email:email * Send me a sign-in link
    = /forgot en Reset | Quietmail
    main
    h1 Forgot your password?
    form /password/reset email:email * Reset my password`,
  ),
  sketch(
    'lumen-cad',
    {
      kind: 'saas',
      language: 'en',
      main: 'Save my spot',
      wants: [/waitlist|signup|spot/i],
      never: /newsletter|goal|main_choice/,
    },
    `
    = / en Lumen CAD, coming this spring :: A CAD tool for lighting designers. Coming this spring.
    main
    h1 CAD for lighting designers
    p Lumen CAD draws a lighting plan in minutes and exports it for every console. We open in spring, for a few teams at a time. Features: a symbol library, paperwork and live patching.
    form.waitlist /waitlist email:email * Save my spot
    p 2,310 people are on the waiting list.`,
  ),
  sketch(
    'hisab-cloud',
    {
      kind: 'saas',
      language: 'ar',
      main: 'جرّب مجاناً',
      wants: [/signup|trial|جر/],
      never: /goal|main_choice/,
    },
    `
    = / ar حساب كلاود: محاسبة للشركات الصغيرة :: برنامج محاسبة سحابي للشركات الصغيرة.
    header
    a /features المزايا
    a /pricing الأسعار
    a /login تسجيل الدخول
    main
    h1 محاسبة سهلة للشركات الصغيرة
    p أصدر الفواتير وتابع المصاريف من هاتفك أو حاسوبك. يعمل البرنامج مع كل البنوك في المنطقة، ولا تحتاج إلى بطاقة ائتمان لتبدأ تجربتك.
    a.btn.btn-primary.btn-lg /signup جرّب مجاناً
    = /pricing ar الأسعار | حساب كلاود
    main
    h1 الأسعار
    p 9 USD في الشهر لكل مستخدم
    a.btn.btn-primary /signup جرّب مجاناً`,
  ),
  sketch(
    'kho-hang',
    {
      kind: 'saas',
      language: 'vi',
      main: 'Dùng thử miễn phí',
      wants: [/signup|trial/],
      never: /goal|main_choice|cart/,
    },
    `
    = / vi Kho Hàng: phần mềm quản lý kho :: Phần mềm quản lý kho cho cửa hàng nhỏ.
    header
    a /tinh-nang Tính năng
    a /pricing Bảng giá
    a /login Đăng nhập
    main
    h1 Quản lý kho trên điện thoại
    p Phần mềm giúp cửa hàng nhỏ biết mình còn bao nhiêu hàng và khi nào cần nhập thêm. Bạn có thể bắt đầu trong năm phút và không cần thẻ ngân hàng.
    a.btn.btn-primary /register Dùng thử miễn phí`,
  ),
  sketch(
    'antrian',
    {
      kind: 'saas',
      language: 'id',
      main: 'Coba gratis',
      wants: [/signup|trial|coba/],
      never: /goal|main_choice/,
    },
    `
    = / id Antrian: aplikasi antrean untuk klinik :: Aplikasi antrean online untuk klinik dan puskesmas.
    header
    a /fitur Fitur
    a /harga Harga
    a /login Masuk
    main
    h1 Klinik tanpa antrean panjang
    p Pasien mengambil nomor dari rumah dan datang tepat waktu. Aplikasi ini bekerja di komputer lama sekalipun, dan Anda dapat mencobanya selama tiga puluh hari tanpa biaya.
    a.button.is-primary /daftar Coba gratis`,
  ),
  sketch(
    'hookrelay',
    {
      kind: ['api', 'saas'],
      language: 'en',
      main: ['Get an API key'],
      wants: [/key|signup/i],
      never: /goal|main_choice|cart|order/,
      price: null,
    },
    `
    = / en Hookrelay: webhooks that arrive :: An API that delivers webhooks, retries them and shows what happened.
    header
    a /docs Docs
    a /status Status
    a.btn.primary /keys Get an API key
    main
    h1 Webhooks that arrive
    p Send one request and we deliver it, with retries and a signature. You pay €0.004 a hook, with ten thousand free each month. SDKs for Go, Ruby and TypeScript.
    < <pre><code>curl https://api.hookrelay.test/v1/hooks -H "Authorization: Bearer KEY"</code></pre>
    < <pre><code>{"id":"hk_1","status":"delivered"}</code></pre>
    < <pre><code>npm i hookrelay</code></pre>
    a.btn.primary /keys Get an API key`,
  ),
  sketch(
    'wetterdaten',
    {
      kind: ['api', 'saas'],
      language: 'de',
      main: 'API-Key anfordern',
      wants: [/key|signup/i],
      never: /goal|main_choice|cart/,
    },
    `
    = / de wetterdaten.test – Wetter als API :: Wetterdaten für Europa als REST-API, stündlich aktualisiert.
    nav
    a /referenz API-Referenz
    a /preise Preise
    main
    h1 Wetterdaten als API
    p Eine Anfrage liefert Temperatur, Wind und Niederschlag für jeden Ort in Europa. Der Endpunkt antwortet in JSON, und die ersten tausend Anfragen am Tag sind kostenlos.
    < <pre><code>GET https://api.wetterdaten.test/v1/now?lat=52.5</code></pre>
    < <pre><code>{"t":11.2}</code></pre>
    a.cta.primary /konto API-Key anfordern`,
  ),
  sketch(
    'yunyi-api',
    { kind: ['api', 'saas'], language: 'zh', main: '申请密钥', never: /goal|main_choice/ },
    `
    = / zh 云译 API：机器翻译接口 :: 面向开发者的机器翻译接口，支持一百种语言。
    nav
    a /docs 文档
    a /pricing 价格
    main
    h1 面向开发者的翻译接口
    p 只需一个请求，就可以把文本翻译成一百种语言。接口返回 JSON 格式的结果，每个月前一百万个字符免费，我们提供多种语言的 SDK 和完整的示例代码。
    < <pre><code>POST https://api.yunyi.test/v1/translate</code></pre>
    < <pre><code>{"text":"hello"}</code></pre>
    a.btn.btn-primary /apply 申请密钥`,
  ),
]
