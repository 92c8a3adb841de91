import type { LanguageWords } from './language-words.ts'

export const sv: LanguageWords = {
  intents: {
    sign_up:
      'registrera dig|skapa konto|prova gratis|kom igång|kom igång gratis|bli medlem|gå med|testa gratis|starta gratis|registrera|börja gratis',
    log_in: 'logga in|inloggning|mitt konto|mina sidor',
    buy: 'köp|köp nu|beställ|beställ nu|köp biljetter|handla nu',
    add_to_cart:
      'lägg i varukorg|lägg i varukorgen|lägg i kundvagn|lägg i kundvagnen|köp nu och betala senare',
    checkout: 'varukorg|kundvagn|till kassan|kassa|betala|slutför köp',
    book: 'boka|boka nu|boka bord|boka tid|boka ett bord|boka rum|tidsbokning|se lediga tider|boka tid online|reservera|boka besök',
    contact: 'kontakt|kontakta oss|kontakta mig|skicka meddelande|skicka|skriv till oss|hör av dig',
    call: 'ring|ring oss|ring nu',
    directions: 'hitta hit|vägbeskrivning|visa på karta|hitta till oss',
    download: 'ladda ner|ladda ned|hämta|hämta appen|ladda ner appen|installera',
    search: 'sök|hitta',
    subscribe: 'nyhetsbrev|prenumerera|anmäl dig|anmäl dig till nyhetsbrevet|få nyhetsbrevet',
    docs: 'dokumentation|guider|manual|referens',
    pricing: 'priser|prislista|abonnemang|se priser|planer och priser',
    demo: 'demo|boka demo|boka en demo|begär demo|se demo',
    donate: 'skänk|ge en gåva|stöd oss|donera|skänk en slant',
    post: 'nytt ämne|ny tråd|ställ en fråga|skapa tråd|skriv inlägg|skapa inlägg',
    reply: 'svara|kommentera|skicka kommentar|skriv en kommentar|skriv svar',
    message: 'kontakta säljaren|skicka meddelande till säljaren|lägg bud|ge ett bud|kontakta värden',
    save: 'spara|lägg till favoriter|favoriter|önskelista|spara annons',
    share: 'dela|kopiera länk',
    quote: 'begär offert|få offert|kostnadsfri offert|offert|bli uppringd',
    apply: 'ansök|ansök nu|skicka ansökan|sök jobbet',
    copy_code: 'kopiera|kopiera kod',
    feedback: 'var sidan till hjälp|hjälpte den här sidan|lämna feedback|redigera sidan',
    create:
      'nytt projekt|nytt dokument|ladda upp fil|ladda upp|konvertera|spela|spela nu|generera|räkna ut|skapa',
    export: 'exportera|spara som pdf',
    view_work: 'se projekt|visa projekt|mina arbeten|våra arbeten|portfolio|mitt cv',
    read: 'läs mer|läs vidare|fortsätt läsa|läs artikeln',
    sell: 'sälj|lägg in annons|lägg upp annons|bli säljare|börja sälja|sälj något|bli värd',
  },
  audience: 'för|gjort för|skapat för|byggt för|hjälper',
  classes: {
    saas: 'funktioner|integrationer|per användare|per månad|gratis provperiod|utan kreditkort|programvara|kunder|automatisera',
    shop: 'butik|varukorg|kundvagn|frakt|leverans|returer|nyheter|rea|erbjudanden|fri frakt|i lager|produkter|presentkort',
    content: 'artiklar|nyheter|magasin|blogg|recept|podd|arkiv|åsikter|mest lästa|kultur|krönikor|reportage',
    marketplace: 'annonser|säljare|begagnat|alla kategorier|köpare|till salu|uthyrare',
    docs: 'dokumentation|kom igång|installation|konfiguration|referens|guider|exempel',
    community: 'forum|ämnen|trådar|medlemmar|diskussioner|svar|senaste ämnen|obesvarade',
    local_business:
      'öppettider|vår meny|meny|hitta hit|vårt team|behandlingar|klinik|tidsbokning|salong|besök oss|boka bord|våra tjänster',
    portfolio: 'om mig|mina arbeten|utvalda projekt|fotograf|formgivare|illustratör|utställningar|cv',
    app: 'omvandlare|kalkylator|generator|utan konto|i webbläsaren|spela|redigerare|resultat|poäng',
  },
}
