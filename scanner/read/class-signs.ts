import type { SiteClass } from '#schemas/website-scans'
import type { Intent } from './findings.ts'

type KnownClass = Exclude<SiteClass, 'unknown'>

/** Types of schema.org that only sites of one class have, and how much one says. */
export const SCHEMA_TYPES: readonly (readonly [KnownClass, number, RegExp])[] = [
  ['saas', 4, /^SoftwareApplication$/],
  ['app', 4, /^(WebApplication|VideoGame|Game)$/],
  ['app_store_page', 4, /^MobileApplication$/],
  ['podcast', 5, /^(PodcastSeries|PodcastEpisode|RadioSeries|RadioEpisode)$/],
  ['jobs', 5, /^JobPosting$/],
  [
    'event',
    5,
    /^(Event|MusicEvent|Festival|BusinessEvent|SportsEvent|TheaterEvent|ExhibitionEvent|EducationEvent|ComedyEvent|DanceEvent|LiteraryEvent|FoodEvent|ScreeningEvent|CourseInstance|Hackathon|EventSeries)$/,
  ],
  [
    'nonprofit',
    5,
    /^(NGO|DonateAction|Church|Mosque|Synagogue|HinduTemple|BuddhistTemple|PlaceOfWorship|CatholicChurch)$/,
  ],
  [
    'public_service',
    5,
    /^(GovernmentOrganization|GovernmentOffice|GovernmentService|CityHall|GovernmentBuilding|City|AdministrativeArea|Courthouse|Embassy)$/,
  ],
  ['api', 5, /^WebAPI$/],
  ['shop', 4, /^(Product|ProductGroup|OnlineStore)$/],
  ['content', 3, /^(NewsArticle|BlogPosting|Article|NewsMediaOrganization|Blog|Recipe|Periodical)$/],
  ['docs', 4, /^(TechArticle|APIReference|HowTo)$/],
  ['community', 4, /^(DiscussionForumPosting|QAPage|Question|SocialMediaPosting)$/],
  [
    'local_business',
    5,
    /^(LocalBusiness|Restaurant|Bakery|CafeOrCoffeeShop|Dentist|Physician|MedicalClinic|HairSalon|BeautySalon|AutoRepair|Hotel|Plumber|Electrician|LegalService|Attorney|VeterinaryCare|HealthClub|ExerciseGym|Store|FoodEstablishment|LodgingBusiness|BarOrPub|DaySpa|ProfessionalService|HomeAndConstructionBusiness|BedAndBreakfast|Florist)$/,
  ],
  ['portfolio', 3, /^(Person|ProfilePage|VisualArtwork|CreativeWork)$/],
  ['marketplace', 3, /^(OfferCatalog|AggregateOffer|SellAction|Vehicle|Apartment|RealEstateListing)$/],
]

/** Frameworks and platforms for sites of one class. */
export const PLATFORMS: Readonly<Record<string, KnownClass>> = {
  Docusaurus: 'docs',
  MkDocs: 'docs',
  VitePress: 'docs',
  Sphinx: 'docs',
  GitBook: 'docs',
  Mintlify: 'docs',
  Starlight: 'docs',
  Discourse: 'community',
  Flarum: 'community',
  phpBB: 'community',
  Shopify: 'shop',
  WooCommerce: 'shop',
  PrestaShop: 'shop',
  Magento: 'shop',
  Shopware: 'shop',
  BigCommerce: 'shop',
  Ghost: 'content',
  Substack: 'content',
}

/** The ends of host names that only public authorities have, such as `.gov`. */
export const PUBLIC_HOST =
  /\.(gov|gov\.[a-z]{2}|gouv\.fr|gob\.[a-z]{2}|gv\.at|admin\.ch|bund\.de|gc\.ca|go\.[a-z]{2}|govt\.nz)$/

/** Stores of apps, and services for tickets and for podcasts: links to them say what a site is for. */
export const SERVICE_CLASSES: readonly (readonly [KnownClass, number, RegExp])[] = [
  [
    'app_store_page',
    3.5,
    /^(apps\.apple\.com|itunes\.apple\.com|play\.google\.com|f-droid\.org|appgallery\.huawei\.com)$/,
  ],
  [
    'event',
    3.5,
    /(^|\.)(eventbrite\.(com|co\.uk|de|fr|es|it|nl|ca|com\.au)|pretix\.(eu|shop)|ti\.to|tito\.io|tickettailor\.com|ticketmaster\.(com|co\.uk|de|fr|es|dk|se|no|fi)|weezevent\.com|eventim\.de|dice\.fm|lu\.ma|luma\.com|humanitix\.com|billetto\.(dk|se|no|fi|de|co\.uk)|goout\.net)$/,
  ],
  [
    'podcast',
    2.5,
    /^(podcasts\.apple\.com|pca\.st|overcast\.fm|podcasts\.google\.com|castro\.fm|castbox\.fm)$/,
  ],
]

/** What visitors can do, by the class that it speaks for. */
export const CLASS_INTENTS: Partial<Record<Intent, Partial<Record<KnownClass, number>>>> = {
  sign_up: { saas: 2, community: 1, app: 0.5, marketplace: 0.5 },
  pricing: { saas: 2 },
  demo: { saas: 3 },
  docs: { saas: 0.5, docs: 1.5 },
  add_to_cart: { shop: 5 },
  checkout: { shop: 2.5 },
  buy: { shop: 1.5 },
  book: { local_business: 3.3 },
  call: { local_business: 2.5, marketplace: 0.3 },
  directions: { local_business: 3 },
  quote: { local_business: 1.5 },
  read: { content: 2 },
  subscribe: { content: 1.5 },
  donate: { nonprofit: 3.5, content: 0.3, podcast: 0.3 },
  play: { podcast: 4 },
  waitlist: { saas: 3 },
  notify: { shop: 0.5, jobs: 0.3 },
  apply: { jobs: 3, api: 0.3 },
  download: { app_store_page: 0.5 },
  post: { community: 4 },
  reply: { community: 2, content: 0.5 },
  message: { marketplace: 4 },
  sell: { marketplace: 4 },
  save: { marketplace: 0.5, shop: 0.5 },
  copy_code: { docs: 3 },
  feedback: { docs: 2 },
  create: { app: 3 },
  export: { app: 2.5 },
  view_work: { portfolio: 3.5 },
  contact: { portfolio: 0.7, local_business: 0.7 },
}
