import type { LanguageWords } from './language-words.ts'

export const it: LanguageWords = {
  intents: {
    sign_up:
      'registrati|iscriviti|crea account|crea un account|prova gratis|prova gratuita|inizia|inizia gratis|inizia ora|registrazione|unisciti|diventa membro|provalo gratis|inizia la prova gratuita|iscriviti ora',
    log_in: 'accedi|login|entra|area clienti|il mio account|area riservata',
    buy: 'acquista|compra|compra ora|acquista ora|ordina|ordina ora|ordina online|acquista i biglietti',
    add_to_cart: 'aggiungi al carrello|metti nel carrello|nel carrello',
    checkout: 'carrello|vai alla cassa|paga|paga ora|procedi all acquisto|vai al carrello|concludi l ordine',
    book: 'prenota|prenota ora|prenota un tavolo|prenota una visita|prenota un appuntamento|prenotazioni|prenotazione|fissa un appuntamento|verifica disponibilità|prenota online|prenota una camera|prendi appuntamento',
    contact:
      'contatti|contattaci|contattami|scrivici|scrivimi|invia messaggio|invia|invia richiesta|parliamone|richiedi informazioni',
    call: 'chiama|chiamaci|chiama ora|telefona',
    directions: 'come raggiungerci|dove siamo|indicazioni|come arrivare',
    download: 'scarica|scarica ora|scarica l app|installa|scarica gratis',
    search: 'cerca|ricerca|trova',
    subscribe: 'newsletter|iscriviti alla newsletter|abbonati|ricevi aggiornamenti|iscrizione newsletter',
    docs: 'documentazione|guide|guida|riferimento|manuale',
    pricing: 'prezzi|tariffe|piani|listino|vedi i prezzi|piani e prezzi',
    demo: 'demo|richiedi demo|richiedi una demo|prenota una demo|guarda la demo|prenota demo',
    donate: 'dona|fai un offerta|lascia un offerta|dona ora|fai una donazione|sostienici|sostieni',
    post: 'nuova discussione|fai una domanda|nuovo argomento|scrivi un post|pubblica|nuovo topic',
    reply: 'rispondi|commenta|lascia un commento|invia commento|pubblica commento',
    message: 'contatta il venditore|contatta l host|scrivi al venditore',
    save: 'salva|aggiungi ai preferiti|preferiti|lista dei desideri',
    share: 'condividi|copia link',
    quote: 'richiedi preventivo|richiedi un preventivo|preventivo gratuito|preventivo|fatti richiamare',
    apply: 'candidati|invia candidatura|candidati ora',
    play: 'ascolta|ascolta l episodio',
    waitlist: 'lista d attesa',
    notify: 'avvisami',
    copy_code: 'copia|copia codice',
    feedback: 'ti è stato utile|questa pagina è stata utile|lascia un feedback|modifica questa pagina',
    create: 'nuovo progetto|nuovo documento|carica file|converti|gioca|gioca ora|genera|calcola|crea',
    export: 'esporta|salva come pdf',
    view_work: 'vedi progetto|guarda il progetto|i miei lavori|lavori|guarda i lavori|portfolio|curriculum',
    read: 'leggi tutto|continua a leggere|leggi l articolo|leggi di più|scopri di più',
    sell: 'vendi|inserisci annuncio|pubblica annuncio|diventa venditore|diventa host|metti in vendita|inizia a vendere',
  },
  audience: 'per|pensato per|fatto per|progettato per|aiuta',
  classes: {
    public_service:
      'comune|municipio|sportello|servizi al cittadino|albo pretorio|sindaco|anagrafe|cittadini',
    jobs: 'offerte di lavoro|lavoro|candidati|tempo pieno|annunci di lavoro',
    event: 'festival|programma|relatori|biglietti|conferenza|palco',
    podcast: 'podcast|puntata|puntate|episodi|ascolta|stagione',
    nonprofit:
      'parrocchia|messe|catechismo|caritas|volontari|volontariato|associazione|donazioni|onlus|5 per mille|orari delle messe',
    app_store_page: 'app store|google play|per iphone|per android',
    api: 'api|sviluppatori|endpoint|webhook|sdk',
    saas: 'funzionalità|integrazioni|per utente|al mese|prova gratuita|senza carta|software|clienti|automatizza|piani',
    shop: 'negozio|carrello|spedizione|spedizioni|resi|novità|offerte|saldi|spedizione gratuita|disponibile|prodotti|buono regalo',
    content: 'articoli|notizie|rivista|blog|ricette|archivio|opinioni|più letti|cultura|rubriche|inchieste',
    marketplace: 'annunci|venditori|usato|tutte le categorie|host|acquirenti|tra privati',
    docs: 'documentazione|primi passi|installazione|configurazione|riferimento|guide|esempi',
    community: 'forum|discussioni|membri|argomenti|risposte|ultime discussioni|senza risposta',
    local_business:
      'orari|orari di apertura|menù|menu|il nostro menu|dove siamo|come raggiungerci|il nostro team|trattamenti|studio|appuntamenti|prenotazioni|i nostri servizi|siamo aperti|dentista|ostetrica|fisioterapia|veterinario|parrucchiere|panificio|gelateria|ristorante|trattoria|albergo|agriturismo|falegnameria|idraulico|elettricista|avvocato|autoscuola|fioraio|officina|palestra',
    portfolio:
      'chi sono|i miei lavori|progetti scelti|fotografa|fotografo|designer|illustratrice|mostre|curriculum|architetti|studio di architettura',
    app: 'convertitore|calcolatrice|generatore|senza registrazione|nel browser|gioca|editor|risultato|punteggio',
  },
}
