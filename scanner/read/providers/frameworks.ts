/**
 * How frameworks and platforms show: in `<meta name="generator">`, in the code of the page as it is in the
 * document, and in addresses of scripts. The first one that is found counts, so the special ones stand before
 * the general ones.
 */
export type FrameworkSigns = {
  name: string
  generator?: RegExp
  /** An id or an attribute of an element. */
  ids?: readonly string[]
  attributes?: readonly string[]
  addresses?: readonly string[]
}

export const FRAMEWORKS: readonly FrameworkSigns[] = [
  { name: 'Docusaurus', generator: /^docusaurus/i, ids: ['__docusaurus'] },
  { name: 'MkDocs', generator: /^mkdocs/i },
  { name: 'VitePress', generator: /^vitepress/i, addresses: ['/vitepress/'] },
  { name: 'Sphinx', generator: /^sphinx/i, addresses: ['_static/documentation_options.js'] },
  { name: 'GitBook', generator: /^gitbook/i, addresses: ['.gitbook.io/'] },
  { name: 'Mintlify', generator: /^mintlify/i },
  { name: 'Starlight', generator: /^starlight/i },
  { name: 'Discourse', generator: /^discourse/i, ids: ['data-discourse-setup'] },
  { name: 'Flarum', ids: ['flarum-content'], addresses: ['/assets/forum.js'] },
  { name: 'phpBB', ids: ['phpbb'], addresses: ['/assets/javascript/core.js?assets_version'] },
  { name: 'Shopify', addresses: ['cdn.shopify.com/', '/cdn/shop/'] },
  { name: 'WooCommerce', generator: /^woocommerce/i, addresses: ['/plugins/woocommerce/'] },
  { name: 'PrestaShop', generator: /^prestashop/i },
  { name: 'Magento', addresses: ['/static/version', 'mage/requirejs'] },
  { name: 'Shopware', generator: /^shopware/i, addresses: ['/bundles/storefront/'] },
  { name: 'BigCommerce', addresses: ['bigcommerce.com/'] },
  { name: 'Ghost', generator: /^ghost/i },
  { name: 'Substack', addresses: ['substackcdn.com/'] },
  { name: 'Hugo', generator: /^hugo/i },
  { name: 'Jekyll', generator: /^jekyll/i },
  { name: 'Eleventy', generator: /^eleventy/i },
  { name: 'WordPress', generator: /^wordpress/i, addresses: ['/wp-content/', '/wp-includes/'] },
  { name: 'Drupal', generator: /^drupal/i },
  { name: 'Joomla', generator: /^joomla/i },
  { name: 'TYPO3', generator: /^typo3/i },
  { name: 'Webflow', generator: /^webflow/i, attributes: ['data-wf-site'] },
  { name: 'Wix', generator: /^wix/i, addresses: ['static.parastorage.com/'] },
  { name: 'Squarespace', generator: /^squarespace/i, addresses: ['assets.squarespace.com/'] },
  { name: 'Framer', generator: /^framer/i },
  { name: 'Next.js', ids: ['__next'], addresses: ['/_next/static/'] },
  { name: 'Nuxt', ids: ['__nuxt'], addresses: ['/_nuxt/'] },
  { name: 'SvelteKit', attributes: ['data-sveltekit-preload-data'], addresses: ['/_app/immutable/'] },
  { name: 'Gatsby', generator: /^gatsby/i, ids: ['___gatsby'] },
  { name: 'Remix', addresses: ['/build/entry.client'] },
  { name: 'Astro', generator: /^astro/i, addresses: ['/_astro/'] },
  { name: 'Angular', attributes: ['ng-version'] },
  { name: 'Vue', ids: ['q-app'], attributes: ['data-v-app'] },
  { name: 'React', attributes: ['data-reactroot'] },
]
