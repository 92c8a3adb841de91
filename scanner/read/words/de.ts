import type { LanguageWords } from './language-words.ts'

export const de: LanguageWords = {
  intents: {
    sign_up:
      'registrieren|jetzt registrieren|konto erstellen|konto anlegen|kostenlos testen|kostenlos starten|jetzt starten|jetzt testen|gratis testen|kostenlos anmelden|mitglied werden|loslegen|jetzt loslegen|kostenlos registrieren|gratis starten|mitmachen|beitreten|jetzt beitreten',
    log_in: 'anmelden|einloggen|login|mein konto|kundenlogin|zum login',
    buy: 'kaufen|jetzt kaufen|bestellen|jetzt bestellen|tickets kaufen|ticket sichern|tickets sichern|zu den tickets|ticket kaufen|karten kaufen|zum shop|jetzt upgraden|kostenpflichtig bestellen|jetzt einkaufen',
    add_to_cart: 'in den warenkorb|in den einkaufswagen|in den korb|zum warenkorb hinzufügen|warenkorb legen',
    checkout: 'zur kasse|kasse|warenkorb|einkaufswagen|bezahlen|jetzt bezahlen|warenkorb ansehen',
    book: 'buchen|jetzt buchen|tisch reservieren|reservieren|termin vereinbaren|termin buchen|termin anfragen|online buchen|zimmer buchen|verfügbarkeit prüfen|platz reservieren|jetzt reservieren|termin online buchen',
    contact:
      'kontakt|kontaktieren|kontakt aufnehmen|rückruf anfordern|rückruf|nachricht senden|schreiben sie uns|schreib uns|schreib mir|anfrage senden|anfragen|jetzt anfragen|absenden|projekt anfragen|kontaktieren sie uns',
    call: 'anrufen|jetzt anrufen|rufen sie uns an',
    directions: 'anfahrt|wegbeschreibung|so finden sie uns|route planen|route berechnen',
    download: 'herunterladen|download|jetzt herunterladen|app laden|app herunterladen|installieren',
    search: 'suche|suchen|finden',
    subscribe:
      'newsletter|abonnieren|newsletter abonnieren|jetzt abonnieren|zum newsletter anmelden|newsletter anmelden|eintragen|auf dem laufenden bleiben',
    docs: 'dokumentation|handbuch|anleitung|doku|hilfe',
    pricing: 'preise|tarife|preise ansehen|preise und tarife|kosten|preisliste|tarife vergleichen',
    demo: 'demo|demo buchen|demo anfragen|demo vereinbaren|demo ansehen|live demo|vorführung buchen',
    donate: 'spenden|jetzt spenden|unterstützen|fördern',
    post: 'neues thema|beitrag schreiben|frage stellen|neuer beitrag|thema eröffnen|neues thema erstellen',
    reply:
      'antworten|kommentieren|kommentar schreiben|kommentar abschicken|antwort schreiben|kommentar abgeben',
    message:
      'verkäufer kontaktieren|anbieter kontaktieren|nachricht an verkäufer|gebot abgeben|preis vorschlagen|nachricht schreiben',
    save: 'merken|auf den merkzettel|merkzettel|auf die wunschliste|wunschliste|zu favoriten',
    share: 'teilen|link kopieren',
    quote: 'angebot anfordern|angebot einholen|kostenvoranschlag|unverbindliches angebot|angebot anfragen',
    apply: 'bewerben|jetzt bewerben|bewerbung absenden|online bewerben',
    play: 'anhören|folge anhören|jetzt anhören|reinhören|zur folge',
    waitlist: 'auf die warteliste|warteliste',
    notify: 'benachrichtigen|benachrichtige mich',
    copy_code: 'kopieren|code kopieren',
    feedback: 'war das hilfreich|war diese seite hilfreich|feedback geben|seite bearbeiten',
    create:
      'neues projekt|neues dokument|datei hochladen|hochladen|umwandeln|jetzt umwandeln|spielen|jetzt spielen|spiel starten|berechnen|erstellen',
    export: 'exportieren|als pdf speichern|ergebnis herunterladen',
    view_work: 'projekt ansehen|projekte ansehen|arbeiten|arbeiten ansehen|referenzen|zum projekt|lebenslauf',
    read: 'weiterlesen|mehr lesen|artikel lesen|zum artikel|mehr erfahren',
    sell: 'verkaufen|jetzt verkaufen|anzeige aufgeben|inserat aufgeben|inserieren|verkäufer werden|gastgeber werden|anbieter werden',
  },
  audience: 'für|gemacht für|entwickelt für|hilft',
  classes: {
    public_service:
      'bibliothek|stadtbibliothek|volkshochschule|stadtwerke|bürger|bürgerservice|rathaus|bürgerbüro|stadtverwaltung|gemeinde|ämter|bekanntmachungen|gemeinderat|stadtrat|bürgermeister|landkreis|formulare|dienstleistungen a z|einwohner',
    jobs: 'stellenangebote|stellenanzeigen|jobbörse|vollzeit|teilzeit|arbeitgeber|bewerber|offene stellen|jobs',
    event:
      'konferenz|festival|programm|vorträge|sprecher|sprecherinnen|tickets|bühnen|veranstaltungsort|anreise|aussteller|workshops',
    podcast: 'podcast|folgen|folge|alle folgen|shownotes|neue folge|überall wo es podcasts gibt',
    nonprofit:
      'verein|ehrenamt|spenden|spende|gemeinnützig|mitglied werden|ehrenamtlich|stiftung|gottesdienst|gottesdienste|kirchengemeinde|spendenkonto|vereinsleben',
    app_store_page: 'app store|google play|für iphone|für android|die app|smartphone',
    api: 'api|rest api|endpunkt|schnittstelle|api referenz|json|entwickler|anfragen|webhooks|sdk',
    saas: 'funktionen|integrationen|pro nutzer|pro monat|kostenlos testen|ohne kreditkarte|tarife|schnittstelle|kunden|datenschutz und sicherheit|produkt|software',
    shop: 'versand|warenkorb|lieferung|rückgabe|retoure|neuheiten|sale|angebote|lieferbar|kostenloser versand|gutscheine|sortiment|onlineshop',
    content:
      'artikel|nachrichten|magazin|meinung|rezepte|archiv|autoren|aktuelles|ressorts|meistgelesen|politik|kultur',
    marketplace:
      'anzeigen|inserate|kleinanzeigen|verkäufer|anbieter|gesuche|alle kategorien|gebraucht|käuferschutz',
    docs: 'dokumentation|erste schritte|installation|konfiguration|referenz|anleitungen|beispiele|befehle',
    community: 'forum|themen|beiträge|mitglieder|diskussionen|antworten|unbeantwortet|neueste themen',
    local_business:
      'kurse|wir begleiten|praxis|studio|werkstatt|beratung|ruf uns an|öffnungszeiten|anfahrt|speisekarte|unsere praxis|sprechzeiten|behandlungen|unser team|termine|leistungen|terminvereinbarung|parkplätze|mittagstisch|wir haben geöffnet|zahnarzt|zahnärztin|hausarzt|hebamme|hebammen|physiotherapie|tierarzt|friseur|bäckerei|konditorei|restaurant|gasthof|hotel|pension|tischlerei|schreinerei|elektriker|malerbetrieb|dachdecker|kanzlei|rechtsanwalt|steuerberater|fahrschule|gärtnerei|blumenladen|autohaus|fitnessstudio',
    portfolio:
      'über mich|meine arbeiten|ausgewählte arbeiten|referenzen|lebenslauf|fotografin|fotograf|grafikerin|illustratorin|freiberuflich|designerin|ausstellungen|architekten|architektur|planungsbüro',
    app: 'rechner|editor|umwandler|spielen|hochladen|ohne anmeldung|im browser|ergebnis|rückgängig',
  },
}
