/**
 * 200 menus, heads, prices and product lists in ten languages, as shops and other sites have them: twenty of
 * each language. Each line is one element of a page, and ` | ` stands between the texts of its children.
 */
const LINES: Record<string, string> = {
  English: `
Home | Products | About | Cart
Shop | Men | Women | Kids | Sale | Account | Basket (2)
Pricing | Docs | Blog | Changelog | Log in | Start free
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | Next
Contact | Imprint | Privacy | Terms | © 2019–2026 Northwind Ltd
Autumn sale: up to 40% off until 2026-11-30
Free shipping on orders over $49 | 30-day returns | 4.8 (1,203 reviews)
How it works | 1 | Order | 2 | Wear | 3 | Return
Author: Jane Austen | Pride and Prejudice | Paperback | 432 pages
Open 24/7 | Mon–Fri 9.00–18.30 | Sat 10.00-16.00
$19.99 | $24.50 | $129.00 | $1,299.00
19.99 | 24.50 | 129.00 | 59.90
Basic | $9 /month | Team | $29 /month | Business | $99 /month
Was £1,299.99 | Now £999.00 | Save 23%
Subtotal | 2 | 59.90 | 119.80
iPhone15 | Galaxy S24 | Pixel9 | iPad10 | MacBookM3
Trail Shoe | 59.90 | Rain Jacket | 129.00 | Wool Socks | 12.50
US 7 | US 8 | US 9 | US 10 | US 11
36 | 37 | 38 | 39 | 40 | 41 | 42
Desk lamp | In stock | Add to cart | Oak table | Sold out | Notify me`,
  German: `
Startseite | Produkte | Über uns | Warenkorb
Damen | Herren | Kinder | Neuheiten | Sale | Mein Konto
Leistungen | Referenzen | Karriere | Kontakt | Impressum | Datenschutz
Damenbekleidung | Herrenbekleidung | Kinderbekleidung | Haushaltswaren
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | Weiter
Herbstschlussverkauf vom 23.11.2026 bis 30.11.2026
Versandkostenfrei ab 49 € | Rückgabe in 30 Tagen | Kauf auf Rechnung
Öffnungszeiten | Mo–Fr | 9.00–18.30 Uhr | Sa | 9.00–14.00 Uhr
Winterkollektion 2026/2027 | Jetzt entdecken
Kontakt | info@ | Folge uns | @nordwind | Newsletter
59,90 € | 129,00 € | 1.299,00 € | ab 12,50 €
UVP 1.299,00 € | Sie sparen 300,00 € | inkl. MwSt.
Einfamilienhaus | 1.299.000 € | 5 Zimmer | 142 m²
Eigentumswohnung | 389.000 EUR | 3 Zimmer | 78 m²
Menge | 2 | Einzelpreis | 59,90 € | Summe | 119,80 €
USB-C-Ladekabel-2m | Full-HD-Webcam-1080p | 3-in-1-Ladestation
Samsung-Galaxy-S24-Hülle | Bluetooth-Kopfhörer | Powerbank 20.000 mAh
Laufschuh | 59,90 € | Regenjacke | 129,00 € | Wollsocken | 12,50 €
Größe | 92 | 98 | 104 | 110 | 116 | 122
Schreibtischlampe | Auf Lager | In den Warenkorb | Eichentisch | Ausverkauft`,
  French: `
Accueil | Produits | À propos | Panier
Femme | Homme | Enfant | Nouveautés | Soldes | Mon compte
Nos services | Réalisations | Actualités | Recrutement | Contact
Livraison | Retours | Mentions légales | CGV | Confidentialité
1 | 2 | 3 | 4 | 5 | 6 | 7 | Suivant
Soldes d'hiver : jusqu'à -50 % du 08/01/2027 au 04/02/2027
Livraison offerte dès 49 € | Retours gratuits sous 30 jours
Ouvert du lundi au vendredi de 9h00 à 18h30
La saison 2025-2026 | Programme | Billetterie
Les meilleures ventes de la semaine | Voir tout
59,90 € | 129,00 € | 1 299,00 € | 12,50 €
Maison de ville | 1 299 000 € | 5 pièces | 142 m²
Avant 89,90 € | Maintenant 59,90 € | -33 %
Quantité | 2 | Prix unitaire | 59,90 € | Total | 119,80 €
À partir de 9,99 € par mois | Sans engagement
Chaussures de course | 59,90 € | Veste imperméable | 129,00 €
Pointure | 36 | 37 | 38 | 39 | 40 | 41
Lampe de bureau | En stock | Ajouter au panier | Table en chêne
Bordeaux 2018 | Bourgogne 2019 | Champagne Brut | Côtes-du-Rhône 2020
Lot de 3 tee-shirts | Jean slim | Pull en laine | Écharpe`,
  Spanish: `
Inicio | Productos | Nosotros | Carrito
Mujer | Hombre | Niños | Novedades | Rebajas | Mi cuenta
Servicios | Proyectos | Blog | Empleo | Contacto
Envíos | Devoluciones | Aviso legal | Privacidad | Cookies
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | Siguiente
Rebajas de invierno: hasta el 31.01.2027
Envío gratis desde 49 € | Devolución en 30 días
Lunes a viernes de 9:00 a 18:30 | Sábados de 10:00 a 14:00
Temporada 2026-2027 | Entradas | Abonos
¿Por qué elegirnos? | 15 años de experiencia | 12.000 clientes
59,90 € | 129,00 € | 1.299,00 € | 12,50 €
Casa en Bogotá | $ 1.299.000.000 | 4 habitaciones
Departamento | $ 2.450.000 | 2 baños | 78 m²
Antes 89,90 € | Ahora 59,90 € | Ahorras 30,00 €
Cantidad | 2 | Precio | 59,90 € | Total | 119,80 €
Zapatillas | 59,90 € | Chaqueta | 129,00 € | Calcetines | 12,50 €
Talla | 36 | 37 | 38 | 40 | 41 | 42
Lámpara de mesa | En existencias | Añadir al carrito | Mesa de roble
Rioja 2018 | Ribera del Duero 2019 | Cava Brut | Albariño 2022
Camiseta de algodón | Pantalón vaquero | Jersey de lana`,
  Italian: `
Home | Prodotti | Chi siamo | Carrello
Donna | Uomo | Bambini | Novità | Saldi | Il mio account
Servizi | Progetti | Notizie | Lavora con noi | Contatti
Spedizioni | Resi | Note legali | Privacy | Cookie
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | Avanti
Saldi invernali dal 05.01.2027 al 28.02.2027
Spedizione gratuita da 49 € | Reso entro 30 giorni
Lun–Ven | 9.00-13.00 | 15.00-19.00 | Sab | 9.00-12.30
Stagione teatrale 2026–2027 | Biglietti | Abbonamenti
I più venduti della settimana | Scopri tutti
59,90 € | 129,00 € | 1.299,00 € | 12,50 €
Villa sul lago | € 1.299.000 | 5 locali | 142 m²
Prima 89,90 € | Ora 59,90 € | -33%
Quantità | 2 | Prezzo | 59,90 € | Totale | 119,80 €
Da 9,99 € al mese | Senza vincoli
Scarpe da corsa | 59,90 € | Giacca | 129,00 € | Calze | 12,50 €
Taglia | 38 | 40 | 42 | 44 | 46 | 48
Lampada da tavolo | Disponibile | Aggiungi al carrello | Tavolo in rovere
Barolo 2018 | Chianti Classico 2019 | Prosecco | Brunello 2017
Maglietta di cotone | Jeans | Maglione di lana | Sciarpa`,
  Polish: `
Strona główna | Produkty | O nas | Koszyk
Kobiety | Mężczyźni | Dzieci | Nowości | Wyprzedaż | Moje konto
Usługi | Realizacje | Aktualności | Kariera | Kontakt
Dostawa | Zwroty | Regulamin | Polityka prywatności
1 | 2 | 3 | 4 | 5 | 6 | 7 | Następna
Wyprzedaż zimowa od 27.12.2026 do 31.01.2027
Darmowa dostawa od 199 zł | 30 dni na zwrot
Pon.–pt. | 9.00–17.00 | Sob. | 10.00–14.00
Rok szkolny 2026–2027 | Rekrutacja | Plan lekcji
Najczęściej kupowane w tym tygodniu
59,90 zł | 129,00 zł | 1 299,00 zł | 12,50 zł
Dom w Krakowie | 1 299 000 zł | 5 pokoi | 142 m²
Mieszkanie | 1 050 000 PLN | 3 pokoje | 64 m²
Było 89,90 zł | Teraz 59,90 zł | Oszczędzasz 30,00 zł
Ilość | 2 | Cena | 59,90 zł | Razem | 119,80 zł
Buty do biegania | 59,90 zł | Kurtka | 129,00 zł | Skarpety | 12,50 zł
Rozmiar | 36 | 37 | 38 | 39 | 40 | 41
Lampa biurkowa | W magazynie | Do koszyka | Stół dębowy
Telewizor 55 cali | Soundbar | Uchwyt ścienny | Kabel HDMI 2.1
Koszulka bawełniana | Dżinsy | Sweter wełniany | Szalik`,
  Russian: `
Главная | Каталог | О компании | Корзина
Женщинам | Мужчинам | Детям | Новинки | Распродажа | Личный кабинет
Услуги | Проекты | Новости | Вакансии | Контакты
Доставка | Возврат | Оплата | Конфиденциальность
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | Далее
Зимняя распродажа с 23.12.2026 по 31.01.2027
Бесплатная доставка от 3000 ₽ | Возврат 30 дней
Пн–Пт | 9.00–18.00 | Сб | 10.00–16.00
Сезон 2026–2027 | Афиша | Билеты
Электроника2026 | Видеонаблюдение | Автотовары
5 990 ₽ | 12 900 ₽ | 1 290 ₽ | 129 000 ₽
Квартира в Москве | 12 990 000 ₽ | 3 комнаты | 78 м²
Было 8 990 ₽ | Стало 5 990 ₽ | Скидка 33 %
Количество | 2 | Цена | 5 990 ₽ | Итого | 11 980 ₽
Автомобиль | 2 450 000 руб. | 2024 год | 15 000 км
Кроссовки | 5 990 ₽ | Куртка | 12 900 ₽ | Носки | 490 ₽
Размер | 36 | 37 | 38 | 39 | 40 | 41
Настольная лампа | В наличии | В корзину | Дубовый стол
Телевизор-55-дюймов-2026 | Саундбар | Кронштейн
Футболка | Джинсы | Шерстяной свитер | Шарф`,
  Arabic: `
الرئيسية | المنتجات | من نحن | السلة
نساء | رجال | أطفال | جديدنا | تخفيضات | حسابي
خدماتنا | أعمالنا | الأخبار | الوظائف | اتصل بنا
الشحن | الإرجاع | الشروط | الخصوصية
1 | 2 | 3 | 4 | 5 | 6 | 7 | التالي
تخفيضات الشتاء حتى 30.11.2026
شحن مجاني للطلبات فوق 199 ر.س | إرجاع خلال 30 يوما
من الأحد إلى الخميس | 9.00–18.00
موسم 2026–2027 | التذاكر | الاشتراكات
الأكثر مبيعا هذا الأسبوع | عرض الكل
59.90 ر.س | 129.00 ر.س | 12.50 ر.س
٥٩٫٩٠ | ١٢٩٫٠٠ | ١٢٫٥٠
قبل 89.90 | الآن 59.90 | وفر 30.00
الكمية | 2 | السعر | 59.90 | المجموع | 119.80
ابتداء من 9.99 شهريا | بدون التزام
حذاء رياضي | 59.90 | سترة | 129.00 | جوارب | 12.50
المقاس | ٣٦ | ٣٧ | ٣٨ | ٣٩ | ٤٠ | ٤١
مصباح مكتب | متوفر | أضف إلى السلة | طاولة
عطر 100 مل | عود | بخور | مسك
قميص قطن | بنطال جينز | سترة صوف | وشاح`,
  Japanese: `
ホーム | 商品一覧 | 会社概要 | カート
レディース | メンズ | キッズ | 新着 | セール | マイページ
サービス | 導入事例 | お知らせ | 採用情報 | お問い合わせ
配送について | 返品について | 特定商取引法に基づく表記 | プライバシーポリシー
1 | 2 | 3 | 4 | 5 | 6 | 7 | 次へ
2026年冬の新作コレクションが登場しました
全国送料無料3000円以上のご注文が対象です
営業時間 | 平日 | 9:00〜18:00 | 土曜 | 10:00〜16:00
創業1985年の老舗和菓子店が贈る季節の味わい
今週の人気ランキングトップ10をチェック
5,990円 | 12,900円 | 1,290円 | 129,000円
12,800円(税込14,080円) | 送料無料
通常価格8,990円 | 特別価格5,990円 | 33%OFF
数量 | 2 | 単価 | 5,990円 | 合計 | 11,980円
月額980円から | いつでも解約できます
ランニングシューズ | 5,990円 | レインジャケット | 12,900円
サイズ | 22.5 | 23 | 23.5 | 24 | 24.5 | 25
デスクランプ | 在庫あり | カートに入れる | オーク材テーブル
ワイヤレスイヤホン第3世代ノイズキャンセリング対応
綿100%Tシャツ | デニムパンツ | ウールセーター | マフラー`,
  Chinese: `
首页 | 全部商品 | 关于我们 | 购物车
女装 | 男装 | 童装 | 新品 | 特卖 | 我的账户
解决方案 | 客户案例 | 新闻中心 | 加入我们 | 联系我们
配送说明 | 退换货 | 服务条款 | 隐私政策
1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 下一页
2026年秋冬新品限时特惠全场满299元减50元
全场满99元包邮支持七天无理由退换货
营业时间 | 周一至周五 | 9:00-18:00
第十五届中国国际博览会2026年11月30日开幕
本周热销榜单前10名商品推荐
¥599 | ¥1,299 | ¥129 | ¥12,900
原价899元 | 现价599元 | 立省300元
数量 | 2 | 单价 | ¥599 | 合计 | ¥1,198
每月99元起随时可以取消订阅
三室两厅 | ¥12,990,000 | 142平方米
跑步鞋 | ¥599 | 冲锋衣 | ¥1,299 | 羊毛袜 | ¥49
尺码 | 36 | 37 | 38 | 39 | 40 | 41
台灯 | 有货 | 加入购物车 | 橡木桌
华为手机第六代旗舰版512GB超大内存
纯棉T恤 | 牛仔裤 | 羊毛衫 | 围巾`,
}

export const ordinaryTexts = Object.entries(LINES).flatMap(([language, lines]) =>
  lines
    .trim()
    .split('\n')
    .map(line => ({ language, texts: line.split(' | ') })),
)
