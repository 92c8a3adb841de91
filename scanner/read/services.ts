import type { Intent } from './findings.ts'

/** What a link to another site, or a frame of it, is for: by the end of its host. */
export const SERVICES: readonly (readonly [intent: Intent, hosts: string])[] = [
  [
    'book',
    'calendly.com cal.com opentable.com resy.com thefork.com quandoo.de sevenrooms.com doctolib.fr doctolib.de booksy.com treatwell.de treatwell.co.uk fresha.com simplybook.me acuityscheduling.com squareup.com/appointments timma.fi planity.com setmore.com youcanbook.me tidycal.com savvycal.com zcal.co mindbodyonline.com bookatable.co.uk zenchef.com formitable.com timify.com jameda.de shore.com bokadirekt.se znanylekarz.pl doctoralia.es',
  ],
  [
    'download',
    'apps.apple.com itunes.apple.com play.google.com chromewebstore.google.com addons.mozilla.org apps.microsoft.com f-droid.org appgallery.huawei.com galaxystore.samsung.com testflight.apple.com flathub.org snapcraft.io',
  ],
  ['contact', 'wa.me m.me t.me api.whatsapp.com line.me viber.com'],
  [
    'directions',
    'maps.google.com maps.app.goo.gl maps.apple.com openstreetmap.org mapy.cz waze.com yandex.ru/maps',
  ],
  [
    'buy',
    'buy.stripe.com checkout.stripe.com gumroad.com lemonsqueezy.com paddle.com payhip.com eventbrite.com eventbrite.de eventbrite.co.uk eventbrite.fr eventbrite.es pretix.eu pretix.shop ti.to tito.io ticketmaster.com tickettailor.com eventim.de weezevent.com universe.com dice.fm lu.ma luma.com billetto.dk billetto.se humanitix.com see.tickets eventfrog.ch goout.net',
  ],
  [
    'donate',
    'patreon.com ko-fi.com buymeacoffee.com opencollective.com donorbox.org helloasso.com betterplace.org paypal.me justgiving.com gofundme.com givebutter.com steadyhq.com liberapay.com raisely.com altruja.de twingle.de lahjoita.fi geef.nl satispay.com github.com/sponsors',
  ],
  ['subscribe', 'substack.com buttondown.com buttondown.email'],
  [
    'play',
    'podcasts.apple.com open.spotify.com overcast.fm pca.st pocketcasts.com castbox.fm podcasts.google.com music.amazon.com deezer.com youtube.com/playlist castro.fm antennapod.org podimo.com player.acast.com embed.acast.com w.soundcloud.com player.simplecast.com podigee.io podlink.to html5-player.libsyn.com player.captivate.fm buzzsprout.com share.transistor.fm anchor.fm spreaker.com podbean.com ivoox.com embed.podcasts.apple.com',
  ],
]

const BY_HOST: ReadonlyMap<string, readonly (readonly [path: string, intent: Intent])[]> = new Map(
  [
    ...Map.groupBy(
      SERVICES.flatMap(([intent, hosts]) =>
        hosts.split(' ').map(address => {
          const slash = address.indexOf('/')
          const host = slash < 0 ? address : address.slice(0, slash)
          return { host, rule: [slash < 0 ? '' : address.slice(slash), intent] as const }
        }),
      ),
      ({ host }) => host,
    ),
  ].map(([host, rules]) => [host, rules.map(({ rule }) => rule)]),
)

/** What a service at this address is for; null: none that the table has. */
export function intentOfService({ hostname, pathname }: URL): Intent | null {
  const labels = hostname.split('.').slice(-4)
  for (let from = 0; from < labels.length - 1; from++) {
    const rules = BY_HOST.get(labels.slice(from).join('.'))
    const rule = rules?.find(([path]) => pathname.startsWith(path))
    if (rule !== undefined) return rule[1]
  }
  return null
}
