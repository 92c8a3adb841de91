import fc from 'fast-check'
import type { History } from './random-history.ts'

const source = fc.record(
  {
    referrer: fc.constantFrom(
      ...['https://www.google.co.uk/search', 'https://gemini.google.com/', 'https://l.facebook.com/l.php'],
      ...[
        'https://blog.example.org/post',
        'https://shop.example/cart',
        'https://pay.shop.example/',
        'text',
        '',
      ],
      ...['https://checkout.stripe.com/c/pay', 'android-app://com.google.android.gm/'],
    ),
    hostname: fc.constantFrom('www.shop.example', 'blog.example.org'),
    utm_source: fc.constantFrom('google', 'ChatGPT.com', 'newsletter', 'partner', ' youtube ', ''),
    utm_medium: fc.constantFrom('cpc', 'email', 'Social', 'referral', 'paid_x', 'print', ''),
    path: fc.constantFrom('/a', '/b'),
    utm_campaign: fc.constantFrom('spring', ''),
    utm_content: fc.constantFrom('a', 'b'),
    click_id: fc.constantFrom('gclid', 'fbclid', 'other'),
    value: fc.constantFrom<unknown>(1, 0.1, '2.5', 'x'),
    currency: fc.constantFrom<unknown>('EUR', 'EUR', 'eur', 'JPY', 5),
  },
  { requiredKeys: [] },
)

/** The history with properties that say where visitors come from, in turn from a short list. */
export function withSources(history: fc.Arbitrary<History>): fc.Arbitrary<History> {
  return fc.tuple(history, fc.array(source, { minLength: 3, maxLength: 9 })).map(([given, sources]) => {
    let next = 0
    const epochs = given.epochs.map(epoch => ({
      ...epoch,
      requests: epoch.requests.map(request => ({
        ...request,
        items: request.items.map(item => ({
          ...item,
          properties: { ...item.properties, ...sources[next++ % sources.length] },
        })),
      })),
    }))
    return { ...given, epochs }
  })
}
