import { sketch } from './sketch-site.ts'

/** Services, interfaces, apps of stores and tools. */
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
  sketch(
    'tidepool-app',
    {
      kind: 'app_store_page',
      language: 'en',
      main: ['App Store', 'Google Play', 'apps.apple'],
      wants: [/download|store/i],
      never: /goal|main_choice|signup_completed|result/,
    },
    `
    = / en Tidepool: tide tables in your pocket :: Tide tables for every beach, on your phone.
    head <meta name="apple-itunes-app" content="app-id=1">
    main
    h1 Know the tide before you pack
    p Tidepool shows the tide for four thousand beaches, works without a signal and wakes you when the water is right. Free, with no account and no advertising.
    < <a class="badge" href="https://apps.apple.com/app/id1"><img alt="Download on the App Store" src="/as.svg"></a>
    < <a class="badge" href="https://play.google.com/store/apps/details?id=tide"><img alt="Get it on Google Play" src="/gp.svg"></a>
    footer
    a /privacy Privacy`,
  ),
  sketch(
    'edzesnaplo',
    {
      kind: 'app_store_page',
      language: 'hu',
      main: ['apple', 'google', 'App Store', 'Letöltés'],
      wants: [/download|store/i],
      never: /goal|main_choice/,
    },
    `
    = / hu Edzésnapló: futás és erősítés egy helyen :: Edzésnapló alkalmazás iPhone-ra és Androidra.
    main
    h1 Minden edzésed egy helyen
    p Az alkalmazás megjegyzi, mennyit futottál és mit emeltél, és megmutatja, hogyan fejlődsz. Nem kell hozzá internet, és az adataid csak a telefonodon maradnak.
    < <a href="https://apps.apple.com/hu/app/id2"><img alt="Letöltés az App Store-ból" src="/a.svg"></a>
    < <a href="https://play.google.com/store/apps/details?id=edzes"><img alt="Letöltés Google Playről" src="/g.svg"></a>`,
  ),
  sketch(
    'memo-ko',
    {
      kind: 'app_store_page',
      language: 'ko',
      main: ['다운로드', 'apps.apple', 'App Store'],
      wants: [/download|store/i],
      never: /goal|main_choice/,
    },
    `
    = / ko 한줄메모 - 하루 한 줄 일기 앱 :: 하루에 한 줄만 쓰는 일기 앱.
    main
    h1 하루에 한 줄만 쓰세요
    p 한줄메모는 매일 저녁 한 줄만 쓰면 되는 일기 앱입니다. 사진을 한 장 붙일 수 있고, 일 년 뒤 같은 날에 다시 보여 줍니다. 광고가 없고 회원 가입도 필요 없습니다.
    a.btn https://apps.apple.com/kr/app/id3 iPhone용 다운로드
    a.btn https://play.google.com/store/apps/details?id=memo 안드로이드용 다운로드`,
  ),
  sketch(
    'pdf-splitter',
    {
      kind: 'app',
      language: 'en',
      main: ['Choose a PDF', 'Split'],
      wants: [/creation|choose|split|export|result/i],
      never: /goal|main_choice|article|seller/,
    },
    `
    = / en Split a PDF in your browser :: Split a PDF in your browser. Nothing is uploaded.
    main
    h1 Split a PDF
    p Drop a file here or choose one. The pages are split in your browser, so nothing leaves your computer and no sign up is needed. It works offline too.
    < <div class="drop"><input type="file" name="pdf"><button class="primary" type="button" id="pick">Choose a PDF</button></div>
    b.primary#split Split it
    b#zip Save as ZIP`,
  ),
  sketch(
    'kreditrechner',
    {
      kind: 'app',
      language: 'de',
      main: 'Rate berechnen',
      wants: [/creation|berechnen|result/i],
      never: /goal|main_choice|article|quote/,
    },
    `
    = / de Kreditrechner – Monatsrate berechnen :: Monatsrate eines Kredits berechnen, ohne Anmeldung.
    main
    h1 Kreditrechner
    p Geben Sie Betrag, Laufzeit und Zinssatz ein. Der Rechner zeigt die monatliche Rate und den Tilgungsplan sofort im Browser, ganz ohne Anmeldung und ohne Werbung.
    < <form id="rechner"><input type="number" name="betrag"><input type="number" name="laufzeit"><input type="number" name="zins"><button type="submit" class="primary">Rate berechnen</button></form>
    < <output id="rate"></output>`,
  ),
  sketch(
    'kradan-game',
    {
      kind: 'app',
      language: 'th',
      main: 'เริ่มเล่น',
      wants: [/creation|play|เริ่ม|result|start/i],
      never: /goal|main_choice|article/,
    },
    `
    = / th เกมจับคู่คำภาษาไทย :: เกมจับคู่คำสำหรับเด็ก เล่นได้ในเบราว์เซอร์
    main
    h1 เกมจับคู่คำ
    p เกมนี้ช่วยให้เด็กเรียนรู้คำภาษาไทยโดยการจับคู่ภาพกับคำ เล่นได้ทันทีในเบราว์เซอร์โดยไม่ต้องสมัครสมาชิก และไม่มีโฆษณารบกวนระหว่างการเล่น
    < <canvas id="board"></canvas>
    b.primary.big#start เริ่มเล่น`,
  ),
]
