import { sketch } from './sketch-site.ts'

/** Apps of stores, and tools. */
export const APP_SKETCHES = [
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
