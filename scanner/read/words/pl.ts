import type { LanguageWords } from './language-words.ts'

export const pl: LanguageWords = {
  intents: {
    sign_up:
      'zarejestruj się|rejestracja|załóż konto|utwórz konto|wypróbuj za darmo|wypróbuj|zacznij|zacznij za darmo|zacznij teraz|dołącz|dołącz do nas|rozpocznij|rozpocznij za darmo|wypróbuj bezpłatnie',
    log_in: 'zaloguj się|zaloguj|logowanie|moje konto|panel klienta',
    buy: 'kup|kup teraz|zamów|zamów teraz|kup bilet|kup bilety|zamawiam|zamów online',
    add_to_cart: 'dodaj do koszyka|do koszyka|wrzuć do koszyka',
    checkout: 'koszyk|przejdź do kasy|zapłać|złóż zamówienie|do kasy|zobacz koszyk',
    book: 'zarezerwuj|rezerwuj|rezerwacja|umów wizytę|umów się|zarezerwuj stolik|zarezerwuj pokój|umów spotkanie|sprawdź dostępność|rezerwacje|umów wizytę online',
    contact:
      'kontakt|skontaktuj się|skontaktuj się z nami|napisz do nas|napisz do mnie|wyślij wiadomość|wyślij|wyślij zapytanie|porozmawiajmy',
    call: 'zadzwoń|zadzwoń do nas|zadzwoń teraz',
    directions: 'dojazd|jak dojechać|wyznacz trasę|pokaż na mapie',
    download: 'pobierz|ściągnij|pobierz aplikację|zainstaluj|pobierz teraz',
    search: 'szukaj|wyszukaj|znajdź',
    subscribe: 'newsletter|zapisz się|subskrybuj|zapisz się do newslettera|zapisz się na newsletter',
    docs: 'dokumentacja|poradnik|przewodnik|instrukcja',
    pricing: 'cennik|ceny|plany|zobacz cennik|zobacz plany|plany i ceny',
    demo: 'demo|umów demo|zamów demo|zobacz demo|umów prezentację|poproś o demo',
    donate: 'wesprzyj|wspieraj|przekaż darowiznę|wpłać|wesprzyj nas',
    post: 'nowy temat|zadaj pytanie|nowy wątek|napisz post|załóż temat',
    reply: 'odpowiedz|skomentuj|dodaj komentarz|dodaj odpowiedź|napisz odpowiedź',
    message:
      'napisz do sprzedawcy|skontaktuj się ze sprzedawcą|złóż ofertę|zapytaj sprzedawcę|zaproponuj cenę|wyślij wiadomość do sprzedawcy',
    save: 'zapisz|dodaj do ulubionych|ulubione|lista życzeń|obserwuj',
    share: 'udostępnij|kopiuj link',
    quote: 'poproś o wycenę|bezpłatna wycena|zapytaj o wycenę|wycena|zamów wycenę|oddzwonimy',
    apply: 'aplikuj|wyślij cv|aplikuj teraz|wyślij zgłoszenie',
    play: 'słuchaj|posłuchaj',
    waitlist: 'lista oczekujących',
    notify: 'powiadom mnie',
    copy_code: 'kopiuj|skopiuj|kopiuj kod',
    feedback: 'czy ta strona była pomocna|czy to było pomocne|oceń stronę|edytuj tę stronę',
    create: 'nowy projekt|nowy dokument|prześlij plik|konwertuj|graj|zagraj|wygeneruj|oblicz|utwórz',
    export: 'eksportuj|zapisz jako pdf',
    view_work: 'zobacz projekt|zobacz projekty|moje prace|realizacje|zobacz realizacje|portfolio',
    read: 'czytaj więcej|czytaj dalej|przeczytaj|więcej',
    sell: 'sprzedaj|sprzedawaj|dodaj ogłoszenie|wystaw przedmiot|zostań sprzedawcą|wystaw na sprzedaż|zostań gospodarzem',
  },
  audience: 'dla|stworzony dla|zaprojektowany dla|pomaga',
  classes: {
    public_service:
      'urząd|urząd gminy|gmina|urząd miasta|biuletyn informacji publicznej|mieszkańcy|rada gminy|wniosek|burmistrz|wójt',
    jobs: 'oferty pracy|praca|pracodawcy|kandydaci|pełny etat',
    event: 'festiwal|prelegenci|konferencja|bilety|program|agenda',
    podcast: 'podcast|odcinek|odcinki|posłuchaj|sezon',
    nonprofit: 'fundacja|stowarzyszenie|wolontariusze|darowizny|parafia|msze|1 procent',
    app_store_page: 'app store|google play|na iphone|na androida',
    api: 'api|deweloperzy|endpoint|webhooki|sdk',
    saas: 'funkcje|integracje|na użytkownika|miesięcznie|okres próbny|bez karty|oprogramowanie|klienci|automatyzacja|zespoły',
    shop: 'sklep|koszyk|dostawa|wysyłka|zwroty|nowości|promocje|wyprzedaż|darmowa dostawa|dostępny|produkty|karta podarunkowa|bestsellery',
    content:
      'artykuły|wiadomości|magazyn|blog|przepisy|archiwum|opinie|najczęściej czytane|kultura|felietony|reportaże',
    marketplace:
      'ogłoszenia|sprzedawcy|używane|wszystkie kategorie|kupujący|wystaw|sprzedający|dodaj ogłoszenie',
    docs: 'dokumentacja|pierwsze kroki|instalacja|konfiguracja|przewodniki|przykłady|polecenia',
    community: 'forum|tematy|wątki|użytkownicy|dyskusje|odpowiedzi|najnowsze tematy|bez odpowiedzi',
    local_business:
      'godziny otwarcia|nasze menu|menu|dojazd|nasz zespół|zabiegi|gabinet|wizyty|rezerwacje|usługi|jak dojechać|przychodnia|salon|dentysta|stomatolog|położna|fizjoterapia|weterynarz|fryzjer|piekarnia|restauracja|hotel|stolarnia|hydraulik|elektryk|kancelaria|szkoła jazdy|kwiaciarnia|warsztat|siłownia',
    portfolio:
      'o mnie|moje prace|wybrane prace|fotograf|projektantka|projektant|ilustratorka|wystawy|cv|architekci|pracownia',
    app: 'kalkulator|konwerter|generator|bez rejestracji|w przeglądarce|graj|edytor|wynik',
  },
}
