import type { OutcomeTemplate } from './event-template.ts'

/**
 * What every site has, and what names a page, a heading or an address of it. They fill a plan whose site
 * shows little else: what it is for is a question to its owner, and no event.
 */
export const FILLER_EVENTS: readonly OutcomeTemplate[] = [
  {
    event: 'stock_missed',
    intent: null,
    worth: { shop: 4 },
    noun: ['view of a missing product', 'views of missing products'],
    where: {
      method: 'call',
      text: 'where a page such as {page} shows that a product or a size is sold out. Add the property product',
    },
    why: 'A visitor of {host} who finds a product sold out wanted to buy it.',
    blindspot: 'Nobody counts how many people wanted what {host} does not have in stock.',
    capability: 'Rank the products of {host} that are sold out by how many people looked for them.',
  },
  {
    event: 'content_finished',
    intent: null,
    worth: { unknown: 2, any: 0.9, app: 0.5 },
    noun: ['finished page', 'finished pages'],
    where: { method: 'call', text: 'when the end of the main text of {page} comes into view' },
    why: 'It tells visitors of {host} who read from those who leave at once.',
    blindspot: 'A page view of {page} does not say whether anybody read it.',
    capability: 'Find the pages of {host} that people leave before the end.',
  },
  {
    event: 'heading_reached',
    intent: null,
    worth: { any: 0.45 },
    noun: ['reached heading', 'reached headings'],
    where: { method: 'call', text: 'when the heading {heading} of {headingPage} comes into view' },
    why: 'Below {heading} is what {host} says after its first words, and many people never come that far.',
    blindspot: 'Nobody knows which part of {headingPage} people get to see.',
    capability: 'Say which share of the visitors of {host} comes as far as {heading}.',
  },
  {
    event: 'page_missing_shown',
    intent: null,
    worth: { any: 0.7 },
    noun: ['visit to a missing page', 'visits to missing pages'],
    where: {
      method: 'call',
      text: 'on the page that {host} shows for an address that does not exist, such as "/no-such-page"',
    },
    why: 'A visitor of {host} who follows an old or wrong link ends on an error page and mostly leaves.',
    blindspot: 'A page view of {host} does not say that the page was missing.',
    capability:
      'List the addresses of {host} that people look for in vain, with the sites that link to them.',
  },
  {
    event: 'page_kept_open',
    intent: null,
    worth: { any: 0.35 },
    noun: ['minute on a page', 'minutes on a page'],
    where: { method: 'call', text: 'when {page} has been visible for a minute' },
    why: 'A minute on {page} is more than a glance, so {host} had something to say to that visitor.',
    blindspot: 'A glance at {page} and a long visit are one page view each.',
    capability: 'Compare the sources of {host} by visitors who stay with {page}.',
  },
  {
    event: 'page_left_early',
    intent: null,
    worth: { any: 0.32 },
    noun: ['early end of a visit', 'early ends of visits'],
    where: {
      method: 'call',
      text: 'when {page} is hidden within its first five seconds (the visibilitychange event)',
    },
    why: 'Whoever leaves {page} at once has not found on {host} what a link or an advertisement promised.',
    blindspot: 'A visit of three seconds to {page} is as good as any other in the number of page views.',
    capability: 'Name the sources that send people to {host} who leave at once.',
  },
  {
    event: 'text_copied',
    intent: null,
    worth: { any: 0.3 },
    noun: ['copied text', 'copied texts'],
    where: {
      method: 'call',
      text: 'when a visitor copies something of {page} (the copy event of the page), without what was copied',
    },
    why: 'Whoever copies something of {page} takes it along, to use it or to show it to others.',
    blindspot: 'What people take from {host} without a click leaves no trace.',
    capability: 'Name the pages of {host} that people take something from.',
  },
]
