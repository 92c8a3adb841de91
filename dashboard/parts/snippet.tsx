import { useState } from 'preact/hooks'
import type { Answer } from '#dashboard/api'
import { isLocalAddress } from '#dashboard/site-address'
import { Code } from './question.tsx'

type Props = {
  project: Pick<Answer<'GET /projects/{id}'>, 'name' | 'project_token' | 'allowed_origins'>
}

/** Attributes of the tag that depend on the site; docs/tracker.md has all. */
const OPTIONS = [
  {
    attribute: 'data-localhost',
    label: 'The site runs on my machine',
    effect:
      'Pages on localhost then send events. Without it the tracker only prints them to the console of the browser.',
  },
  {
    attribute: 'data-track-spa',
    label: 'Single-page application',
    effect: 'A new route is a page view, although no page is loaded.',
  },
  {
    attribute: 'data-track-hash',
    label: 'Routes behind a #',
    effect: 'The page of /#/cart is /cart. Each new route is a page view.',
  },
  {
    attribute: 'data-track-clicks',
    label: 'Clicks',
    effect: 'A click on a link or a button is an event, without its text.',
  },
  {
    attribute: 'data-track-outgoing',
    label: 'Outgoing links',
    effect: 'A click on a link to another site is an event, with the address.',
  },
  {
    attribute: 'data-require-consent',
    label: 'Ask for consent first',
    effect: 'Nothing is sent or stored until your banner calls aa.grantConsent().',
  },
] as const

type Attribute = (typeof OPTIONS)[number]['attribute']

/**
 * The line that every page of a site carries, and what it may say of the site. Its token is public. A project
 * with an origin of this machine begins with the attribute that such pages need.
 */
export function Snippet({ project: { name, project_token, allowed_origins } }: Props) {
  const local = allowed_origins.split(',').find(isLocalAddress)
  const [chosen, setChosen] = useState<readonly Attribute[]>(local === undefined ? [] : ['data-localhost'])
  const toggle = (attribute: Attribute) =>
    setChosen(before =>
      before.includes(attribute) ? before.filter(each => each !== attribute) : [...before, attribute],
    )
  const attributes = OPTIONS.filter(({ attribute }) => chosen.includes(attribute))
  return (
    <div class="snippet">
      <form class="form">
        <fieldset>
          <legend>What the site does</legend>
          <div class="options">
            {OPTIONS.map(({ attribute, label, effect }) => (
              <label key={attribute} class="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(attribute)}
                  onChange={() => toggle(attribute)}
                />
                <span>
                  {label}
                  <small>
                    {effect}
                    {attribute === 'data-localhost' && local !== undefined && ` ${local} is such a page.`}
                  </small>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      </form>
      <Code title="HTML">
        {`<script defer src="${location.origin}/tracker.js" data-project="${name}" data-token="${project_token}"${attributes.map(({ attribute }) => ` ${attribute}="true"`).join('')}></script>`}
      </Code>
    </div>
  )
}
