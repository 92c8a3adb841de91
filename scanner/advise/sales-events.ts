import type { Action } from '#scanner/read/findings'
import type { EventTemplate } from './event-template.ts'
import { planOf } from './plan-of-element.ts'

/** Words of a demo that is watched at once, without anybody of the company. */
const WATCH = /watch|video|play|ansehen|anschauen|regarder|vídeo|guarda|bekijk|obejrzyj|titta|izle|動画/i

/** Events of elements that lead to a customer. */
export const SALES_EVENTS: readonly EventTemplate[] = [
  {
    event: 'plan_chosen',
    intent: 'sign_up',
    fits: (action, findings) => planOf(action, findings) !== null,
    worth: { saas: 7, app: 5, content: 5, any: 3 },
    noun: ['chosen plan', 'chosen plans'],
    act: 'choose a plan',
    why: '{element} says which plan a visitor of {host} chooses before they know the product, so it shows which price they accept.',
    blindspot: 'A visit to {page} does not say which of the plans the visitor wanted.',
    capability:
      'Compare the plans of {host}: how many visitors choose each one, and which sources they come from.',
    properties: ['plan'],
  },
  {
    event: 'signup_started',
    intent: 'sign_up',
    worth: {
      saas: 10,
      api: 10,
      event: 8,
      jobs: 5,
      nonprofit: 5,
      community: 8,
      marketplace: 7,
      app: 7,
      unknown: 7,
      any: 5,
    },
    noun: ['sign-up', 'sign-ups'],
    act: 'sign up',
    why: '{element} is where a visitor of {host} decides to become a user, so it shows which pages and campaigns convince.',
    blindspot: 'Page views show who opened {page}, but not who chose {element}.',
    capability: 'Compare the sources, pages and places of {host} by the sign-ups that they start.',
  },
  {
    event: 'purchase_started',
    intent: 'buy',
    // `Shop now` leads to the products of a shop, which is a page view.
    fits: ({ kind, target, isExternal }, { classification }) =>
      classification.site_class !== 'shop' || kind !== 'link' || target === null || isExternal,
    worth: { shop: 8, event: 10, nonprofit: 4, content: 6, marketplace: 6, any: 6 },
    noun: ['purchase', 'purchases'],
    act: 'buy',
    why: '{element} is the first step of a purchase on {host}, so it shows which pages sell.',
    blindspot: 'A view of {page} looks the same whether the visitor chose {element} or left.',
    capability: 'Rank the pages and sources of {host} by the purchases that they start instead of by visits.',
    properties: ['product', 'value', 'currency'],
  },
  {
    event: 'product_added_to_cart',
    intent: 'add_to_cart',
    worth: { shop: 10, any: 7 },
    noun: ['addition to the cart', 'additions to the cart'],
    act: 'put a product into the cart',
    why: '{element} is the first sign that a visitor of {host} wants to buy, and it happens without a new page.',
    blindspot:
      'The cart of {host} fills without a page view, so nobody sees which products are added and then not bought.',
    capability:
      'Find the products of {host} that many people view and few add, and those that are added and not bought.',
    properties: ['product', 'value', 'currency'],
  },
  {
    event: 'checkout_started',
    intent: 'checkout',
    // To open the cart is a page view, and no checkout yet.
    fits: action => !isCartLink(action),
    worth: { shop: 9, any: 6 },
    noun: ['checkout', 'checkouts'],
    act: 'go to the checkout',
    why: '{element} is the last step on {host} before the payment, so a visitor who is lost after it costs the most.',
    blindspot: 'No number says how many visitors of {host} get from a full cart to the payment.',
    capability: 'Tell within a day when fewer visitors of {host} get from the cart to the payment.',
    properties: ['value', 'currency'],
  },
  {
    event: 'booking_started',
    intent: 'book',
    worth: { local_business: 10, public_service: 9, event: 6, marketplace: 7, any: 7 },
    noun: ['booking', 'bookings'],
    act: 'book',
    why: '{element} is how a visitor of {host} becomes a customer, so it is the first number to improve.',
    blindspot: 'Nobody of {host} knows which searches, pages and advertisements lead people to {element}.',
    capability:
      'Say which search, map or advertisement brings bookings to {host}, and on which days and hours.',
  },
  {
    event: 'phone_call_started',
    intent: 'call',
    worth: { local_business: 8, public_service: 4, nonprofit: 3, any: 3 },
    noun: ['phone call', 'phone calls'],
    act: 'call',
    why: '{element} starts a call on a phone. Many people call {host} instead of writing, and a call leaves no page view.',
    blindspot: 'Calls that begin at {element} are not counted, so {page} looks less useful than it is.',
    capability: 'Count calls beside the other contacts when pages and sources of {host} are compared.',
  },
  {
    event: 'contact_started',
    intent: 'contact',
    worth: {
      portfolio: 10,
      public_service: 5,
      nonprofit: 6,
      local_business: 6,
      unknown: 6,
      docs: 2,
      content: 2,
      shop: 2,
      app: 2,
      any: 4,
    },
    noun: ['enquiry', 'enquiries'],
    act: 'get in touch',
    why: '{element} is how people who want something from {host} get in touch.',
    blindspot:
      'A message that begins at {element} reaches {host} without the page and the source that led to it.',
    capability: 'Tell which pages and sources bring enquiries to {host}, not only visits.',
    properties: ['method'],
  },
  {
    event: 'demo_watched',
    intent: 'demo',
    fits: ({ words }) => WATCH.test(words),
    worth: { saas: 6, any: 3 },
    noun: ['watched demo', 'watched demos'],
    act: 'watch a demo',
    why: '{element} shows the product of {host} to people who do not want to sign up yet.',
    blindspot: 'Page views of {page} do not say who has seen the demo and who has not.',
    capability: 'Say whether visitors who watch the demo of {host} sign up more often than the others.',
  },
  {
    event: 'demo_requested',
    intent: 'demo',
    worth: { saas: 8, any: 4 },
    noun: ['request for a demo', 'requests for a demo'],
    act: 'ask for a demo',
    why: '{element} is how larger customers come to {host}: these events are few, and each one is worth many visits.',
    blindspot: 'Visits of {page} do not say who asked for a demo, and where these people came from.',
    capability: 'Compare what brings requests for a demo with what brings sign-ups on {host}.',
    properties: ['topic'],
  },
  {
    event: 'seller_contacted',
    intent: 'message',
    worth: { marketplace: 10, any: 5 },
    noun: ['contact with a seller', 'contacts with sellers'],
    act: 'write to a seller',
    why: '{element} is where a buyer and a seller of {host} meet. A view of an offer is not interest yet; a message is.',
    blindspot: 'Offers on {host} are judged by their views, because messages are not counted.',
    capability: 'Find the offers and categories of {host} that many people view and few ask about.',
    properties: ['product', 'value', 'currency'],
  },
  {
    event: 'listing_started',
    intent: 'sell',
    worth: { marketplace: 9, jobs: 7, any: 3 },
    noun: ['new offer', 'new offers'],
    act: 'offer something',
    why: '{element} is how new offers come to {host}. Without them buyers find nothing.',
    blindspot: 'Visitors of {page} who want to sell and those who want to buy are counted together.',
    capability: 'Show supply and demand of {host} as two numbers.',
  },
  {
    event: 'quote_requested',
    intent: 'quote',
    worth: { local_business: 9, saas: 4, portfolio: 6, any: 6 },
    noun: ['request for a quote', 'requests for a quote'],
    act: 'ask for a quote',
    why: '{element} is how a visitor of {host} asks for a price: the next step is an order.',
    blindspot:
      'A request that begins at {element} reaches {host} without the search and the page that led to it.',
    capability: 'Tell which services, pages and searches bring requests to {host}.',
    properties: ['topic'],
  },
  {
    event: 'donation_started',
    intent: 'donate',
    worth: { nonprofit: 11, podcast: 6, content: 7, community: 6, unknown: 8, any: 6 },
    noun: ['donation', 'donations'],
    act: 'donate',
    why: '{element} is how people pay for {host}, so it shows which pages move them to give.',
    blindspot: 'The payment service counts donations, but not the page of {host} that led to each one.',
    capability: 'Compare the pages and campaigns of {host} by the donations that they start.',
    properties: ['value', 'currency'],
  },
  {
    event: 'application_started',
    intent: 'apply',
    worth: { jobs: 10, marketplace: 6, any: 4 },
    noun: ['application', 'applications'],
    act: 'apply',
    why: '{element} is what {host} wants people to do who read about an open position.',
    blindspot: 'A position on {host} with many readers and no applicant looks like a success.',
    capability:
      'Find the positions of {host} that people read without applying, and where these people came from.',
    properties: ['topic'],
  },
]

/** A link to the page of the cart, such as `/cart` or `/warenkorb`. */
export function isCartLink({ kind, intent, target }: Pick<Action, 'kind' | 'intent' | 'target'>): boolean {
  return kind === 'link' && intent === 'checkout' && CART.test(target ?? '')
}

const CART =
  /\/(cart|basket|bag|warenkorb|panier|cesta|carrito|carrello|carrinho|winkelwagen|winkelmandje|koszyk|varukorg|sepet)\/?(\.\w+)?$/i
