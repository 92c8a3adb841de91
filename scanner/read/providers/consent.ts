import type { ProviderSigns } from './provider-signs.ts'

/** Tag managers, and banners that ask for consent. */
export const CONSENT: readonly ProviderSigns[] = [
  {
    name: 'Google Tag Manager',
    kind: 'tag manager',
    addresses: ['googletagmanager.com/gtm.js', 'googletagmanager.com/ns.html'],
    code: ["'gtm.start'", '"gtm.start"'],
  },
  { name: 'Tealium', kind: 'tag manager', addresses: ['tags.tiqcdn.com/'], code: ['utag_data'] },
  { name: 'Adobe Launch', kind: 'tag manager', addresses: ['assets.adobedtm.com/'] },
  { name: 'Ensighten', kind: 'tag manager', addresses: ['nexus.ensighten.com/'] },
  { name: 'Commanders Act', kind: 'tag manager', addresses: ['cdn.tagcommander.com/'] },
  { name: 'Cloudflare Zaraz', kind: 'tag manager', addresses: ['/cdn-cgi/zaraz/'] },
  {
    name: 'OneTrust',
    kind: 'consent',
    addresses: ['cdn.cookielaw.org/', 'cookie-cdn.cookiepro.com/'],
    code: ['OptanonWrapper'],
  },
  { name: 'Cookiebot', kind: 'consent', addresses: ['consent.cookiebot.com/', 'consent.cookiebot.eu/'] },
  { name: 'Usercentrics', kind: 'consent', addresses: ['app.usercentrics.eu/', 'web.cmp.usercentrics.eu/'] },
  { name: 'Didomi', kind: 'consent', addresses: ['sdk.privacy-center.org/'], code: ['didomiConfig'] },
  { name: 'Osano', kind: 'consent', addresses: ['cmp.osano.com/'] },
  {
    name: 'iubenda',
    kind: 'consent',
    addresses: ['cdn.iubenda.com/', 'cs.iubenda.com/'],
    code: ['_iub.csConfiguration'],
  },
  { name: 'CookieYes', kind: 'consent', addresses: ['cdn-cookieyes.com/'] },
  { name: 'Complianz', kind: 'consent', addresses: ['/plugins/complianz-gdpr'], code: ['complianz'] },
  { name: 'Borlabs Cookie', kind: 'consent', addresses: ['/plugins/borlabs-cookie'] },
  { name: 'Termly', kind: 'consent', addresses: ['app.termly.io/'] },
  { name: 'TrustArc', kind: 'consent', addresses: ['consent.trustarc.com/'] },
  {
    name: 'Quantcast Choice',
    kind: 'consent',
    addresses: ['quantcast.mgr.consensu.org/', 'cmp.quantcast.com/'],
  },
  { name: 'Axeptio', kind: 'consent', addresses: ['static.axept.io/'], code: ['axeptioSettings'] },
  {
    name: 'tarteaucitron',
    kind: 'consent',
    addresses: ['tarteaucitron.js', 'tarteaucitron.min.js'],
    code: ['tarteaucitron.init('],
  },
  {
    name: 'Klaro',
    kind: 'consent',
    addresses: ['cdn.kiprotect.com/klaro', '/klaro.js'],
    code: ['klaroConfig'],
  },
  {
    name: 'Consentmanager',
    kind: 'consent',
    addresses: ['cdn.consentmanager.net/', 'delivery.consentmanager.net/'],
  },
]
