import type { Intent } from './findings.ts'

/** What platforms for sites write into an element, whatever the language of its words. */
type Mark = { intent: Intent; signs: readonly string[]; hrefs?: readonly string[] }

/** Signs are classes, ids, names, and `attribute=value` of data attributes, as they stand in the document. */
export const MARKUP: readonly Mark[] = [
  {
    intent: 'add_to_cart',
    signs: [
      // WooCommerce
      'add_to_cart_button',
      'single_add_to_cart_button',
      'add-to-cart',
      // PrestaShop, Shopware, Magento
      'data-button-action=add-to-cart',
      'btn-buy',
      'tocart',
      'product-addtocart-button',
      // Squarespace, Wix, Webflow, Shopify
      'sqs-add-to-cart-button',
      'data-hook=add-to-cart',
      'w-commerce-commerceaddtocartbutton',
      'product-form__submit',
      'snipcart-add-item',
      'addtocart',
      'add-to-basket',
      'add-to-bag',
    ],
    hrefs: ['?add-to-cart=', '&add-to-cart='],
  },
  {
    intent: 'checkout',
    signs: [
      'checkout-button',
      'wc-proceed-to-checkout',
      'cart__checkout-button',
      'w-commerce-commercecartcheckoutbutton',
    ],
  },
  { intent: 'buy', signs: ['shopify-payment-button__button', 'buy-now', 'single_buy_now_button'] },
  { intent: 'subscribe', signs: ['gh-subscribe-form', 'mc-embedded-subscribe', 'newsletter-form-button'] },
  {
    intent: 'copy_code',
    signs: ['copy-button', 'btn-clipboard', 'copybtn', 'md-clipboard', 'copy-code', 'clipboard-copy'],
  },
  { intent: 'post', signs: ['create-topic', 'new-topic', 'new-thread', 'new-post'] },
]

/** The same of forms, by their own classes, ids and data attributes, or by where they send their data. */
export const FORM_MARKUP: readonly {
  intent: Intent
  signs: readonly string[]
  actions: readonly string[]
}[] = [
  {
    intent: 'add_to_cart',
    signs: [
      'cart',
      'variations_form',
      'w-commerce-commerceaddtocartform',
      'product-form',
      'data-node-type=commerce-add-to-cart-form',
    ],
    actions: ['/cart/add', 'add-to-cart', 'add_to_cart', '/basket/add', '/bag/add'],
  },
  {
    intent: 'subscribe',
    signs: [
      'mc4wp-form',
      'mc-embedded-subscribe-form',
      'gh-subscribe-form',
      'data-members-form=subscribe',
      'newsletter-form',
      'newsletter',
      'subscribe',
      'subscribe-form',
      'ml-block-form',
      'tnp-subscription',
      'seva-form',
    ],
    actions: [
      'list-manage.com',
      'buttondown.',
      'convertkit.com',
      'kit.com/forms',
      'substack.com',
      'sendfox.com',
      '/newsletter',
      '/subscribe',
      'mailerlite',
      'sibforms.com',
    ],
  },
  {
    intent: 'sign_up',
    signs: ['data-members-form=signup', 'signup', 'signup-form', 'register-form'],
    actions: ['/signup', '/sign-up', '/register', '/users/new'],
  },
  {
    intent: 'log_in',
    signs: ['data-members-form=signin', 'login-form', 'loginform'],
    actions: ['/login', '/signin', '/sign-in', '/session'],
  },
  {
    intent: 'waitlist',
    signs: ['waitlist', 'waiting-list', 'wait-list', 'early-access'],
    actions: ['/waitlist', '/wait-list', '/early-access', '/beta'],
  },
  {
    intent: 'notify',
    signs: ['back-in-stock', 'notify-me', 'stock-alert', 'klaviyo-bis', 'job-alert'],
    actions: ['back-in-stock', '/notify', '/alert'],
  },
  { intent: 'reply', signs: ['commentform', 'comment-form'], actions: ['wp-comments-post', '/comments'] },
  { intent: 'apply', signs: ['application-form', 'job-application'], actions: ['/apply', '/applications'] },
  {
    intent: 'search',
    signs: ['search-form', 'searchform', 'woocommerce-product-search', 'docsearch'],
    actions: [],
  },
]

/** What only an e-mail field asks for when its form leads there: no sign-up, and nothing to count. */
export const IS_RESET = /reset|forgot|recover|password|passwort|mot-de-passe|contrasena|lost/

/** Words of a form that sends a sign-in link by e-mail. It creates an account where there is none. */
export const IS_MAGIC = /magic|passwordless|otp|auth/
