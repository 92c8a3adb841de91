import type { LanguageWords } from './language-words.ts'

export const en: LanguageWords = {
  intents: {
    sign_up:
      'sign up|signup|create account|create an account|create your account|create a free account|create free account|register|register now|get started|get started free|start free|start for free|start free trial|start your free trial|start trial|free trial|try free|try for free|try it free|try it for free|try now|join|join now|join us|join free|join for free|join the community|become a member|open an account|start now|start building|start today|claim your account|request access',
    log_in: 'log in|login|sign in|signin|my account|log on|member login|customer login',
    buy: 'buy|buy now|buy tickets|buy ticket|buy it now|order|order now|order online|purchase|get tickets|get a ticket|get your ticket|shop now|upgrade|upgrade now|go pro|get the book|pre order|preorder',
    add_to_cart: 'add to cart|add to bag|add to basket|add to trolley|in the basket',
    checkout:
      'checkout|check out|proceed to checkout|place order|pay now|complete order|secure checkout|view cart|go to checkout|cart|basket|bag',
    book: 'book|book now|book a table|book online|book an appointment|book appointment|book a room|book a call|book a visit|book a lesson|book a session|reserve|reserve now|reserve a table|reserve a room|make an appointment|make a reservation|make a booking|schedule|schedule a call|schedule a visit|schedule an appointment|check availability|request an appointment|find a table|request to book|request booking',
    contact:
      'contact|contact us|contact me|get in touch|talk to us|talk to sales|contact sales|write to us|write to me|request a callback|request callback|send message|send a message|send us a message|email us|email me|send enquiry|send inquiry|enquire|enquire now|hire me|hire us|work with me|work with us|let us talk|say hello|start a project|chat with us',
    call: 'call|call us|call now|phone us|give us a call',
    directions: 'directions|get directions|find us|how to find us|view on map|open in maps|show map',
    download:
      'download|download now|download free|download the app|get the app|download for mac|download for windows|download for linux|install|install app|add to chrome|get it on google play|app store|google play',
    search: 'search|find|search site|search docs|find a|search for',
    subscribe:
      'subscribe|subscribe now|newsletter|sign up for the newsletter|sign up for our newsletter|join our newsletter|join the newsletter|join our mailing list|get updates|get the newsletter|keep me posted|stay in touch|stay informed|follow by email',
    docs: 'docs|documentation|read the docs|api reference|developer docs|guides|view docs|quickstart',
    pricing:
      'pricing|prices|plans|see pricing|view pricing|see plans|view plans|plans and pricing|compare plans|rates|price list',
    demo: 'demo|book a demo|request a demo|get a demo|request demo|book demo|schedule a demo|see a demo|see it in action|watch demo|watch the demo|live demo|try the demo|try demo|view demo|take a tour|product tour',
    donate:
      'donate|donate now|make a donation|give now|support us|become a patron|chip in|sponsor|sponsor us',
    post: 'new topic|new thread|new post|create post|create a post|ask a question|ask question|start a discussion|start a topic|post a question|write a post|post a topic|submit a link|submit link',
    reply:
      'reply|post reply|add a comment|post comment|leave a comment|write a comment|comment|answer|post your answer|add reply',
    message:
      'message|message owner|message the owner|message seller|contact seller|contact host|message host|contact owner|contact the seller|make an offer|make offer|ask the seller',
    save: 'save|add to wishlist|wishlist|add to favourites|add to favorites|favourite|save for later|bookmark|watch this item',
    share: 'share|share this|share link|tweet this|copy link',
    quote:
      'get a quote|get a free quote|get your free quote|request a free quote|request a quote|free quote|get quote|request quote|get an estimate|free estimate|request an estimate',
    apply:
      'apply|apply now|apply online|submit application|send application|apply for this job|apply for this role',
    copy_code: 'copy|copy code|copy to clipboard|copy snippet|copy command',
    play: 'listen|listen now|play episode|listen to the episode|play trailer|listen to the latest episode',
    waitlist: 'join the waitlist|join waitlist|join the waiting list|get early access|request early access',
    notify:
      'notify me|tell me when it is back|email me when available|notify me when available|send me job alerts|create alert|set alert',
    feedback:
      'was this page helpful|was this helpful|give feedback|send feedback|rate this page|edit this page|report an issue|leave feedback|yes it helped',
    create:
      'create|new document|new project|new board|new note|new file|create new|create project|start drawing|start editing|open editor|open the editor|upload|upload file|upload a file|upload image|choose file|generate|convert|convert now|run|start game|play|play now|new game|add task|add todo|start timer',
    export:
      'export|save file|download png|download svg|export png|export pdf|export csv|download result|download results|save as',
    view_work:
      'view project|view projects|see my work|view my work|see work|view work|selected work|case study|view case study|read case study|see the project|my portfolio|view portfolio|our work|view resume|download cv|my cv|resume',
    read: 'read more|continue reading|read article|read the article|read on|full story|read story|keep reading',
    sell: 'sell|start selling|sell yours|sell with us|become a seller|become a host|list your|list your place|list your item|rent out your|rent yours out|lend yours|start hosting|list an item|list your property|post an ad|post a job|create listing|create a listing|place an ad|list your service|become a tutor|offer a ride',
  },
  audience: 'for|built for|made for|designed for|helps|help',
  classes: {
    public_service:
      'public library|library card|county|municipal|borough|for residents|council|residents|councillors|public services|town hall|city council|municipality|district council|planning applications|council tax|bin collection|permits|government services|mayor|elections',
    jobs: 'jobs|vacancies|job board|remote jobs|job alerts|employers|candidates|full time|part time|open positions|salary|post a job|find jobs|hiring|careers',
    event:
      'festival|line up|lineup|conference|speakers|tickets|schedule|venue|early bird|gates open|doors open|programme|sponsors|call for papers|attendees|agenda|workshops|stages',
    podcast:
      'podcast|episode|episodes|show notes|listen|hosts|transcript|season|new episodes|wherever you get your podcasts|guests',
    nonprofit:
      'charity|registered charity|volunteer|volunteers|donate|our mission|nonprofit|non profit|adoption|foundation|fundraising|parish|congregation|worship|mass times|sermons|membership|your gift|annual report',
    app_store_page:
      'app store|google play|on your phone|for iphone|for android|mobile app|iphone|android|ios app|app screenshots',
    api: 'api|endpoint|endpoints|webhook|webhooks|rest api|sdk|sdks|api key|api keys|rate limits|json|developers|requests|latency|for developers',
    saas: 'integrations|features|free trial|pricing|per user|per month|no credit card|security and compliance|api|changelog|roadmap|dashboard|workflow|automate|customers|status page|teams',
    shop: 'shop|cart|basket|free shipping|shipping|returns|delivery|new arrivals|sale|best sellers|bestsellers|gift cards|size guide|wishlist|collections|in stock|add to cart|shop all',
    content:
      'blog|news|articles|latest stories|latest posts|editorial|opinion|magazine|recipes|archive|authors|most read|topics|issue|columns|politics|essays|journal',
    marketplace:
      'listings|sellers|become a seller|become a host|sell on|hosts|buyers|verified sellers|how it works for sellers|browse categories|vendors|freelancers|tutors near you|for sale|classifieds|sell yours|all ads|seller fees|providers',
    docs: 'documentation|getting started|api reference|installation|quickstart|configuration|tutorials|reference|guides|cli|release notes|examples|on this page|migration guide|troubleshooting|usage',
    community:
      'forum|forums|topics|threads|latest topics|members|discussions|replies|community guidelines|unanswered|categories|badges|groups|members online|posts|trending|house rules',
    local_business:
      'family run|call us|our services|free parking|near the station|locally owned|emergency|opening hours|our location|find us|visit us|our menu|menu|reservations|appointments|our team|treatments|service area|parking|walk ins|our salon|our practice|our clinic|opening times|book a table|directions|hours|dentist|plumber|electrician|bakery|restaurant|cafe|hotel|guest house|hairdresser|barber|midwives|physiotherapy|veterinary|florist|garage|gym|driving school|solicitors|law firm|accountants|carpentry|landscaping',
    portfolio:
      'portfolio|selected work|my work|about me|hire me|case studies|freelance|designer|photographer|illustrator|resume|exhibitions|available for work|clients|commissions|hello i m|cv|sketchbook|architects|architecture studio',
    app: 'new document|editor|canvas|upload your file|no sign up|in your browser|works offline|play|score|high score|settings|undo|converter|calculator|generator|drag and drop|timer|result|export',
  },
}
