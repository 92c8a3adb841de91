import './app.css'
import { render } from 'preact'
import { useDemo, useShareLink } from './credential.ts'
import { currentAddress, followLinks, go } from './navigate.ts'
import { followSession } from './session.ts'
import { loadView } from './shell/load-view.ts'
import { Shell } from './shell/shell.tsx'
import { shownViews } from './shown-views.ts'

const start = currentAddress()
useDemo(start.area === 'demo')
if (start.secret !== undefined) {
  useShareLink(start.secret)
  // A link need not show the overview.
  const shown = shownViews(start)
  const [first] = shown
  if (first !== undefined && !shown.some(({ name }) => name === start.view))
    go({ ...start, view: first.name }, true)
}
followLinks()
followSession()
// The page names the script of its view, so it comes with this one. Drawn together, the calls of the shell and
// those of the view are one round. Without that script the shell says what is wrong.
const row = shownViews(currentAddress()).find(({ name }) => name === currentAddress().view)
const draw = () => render(<Shell />, document.getElementById('app') as HTMLElement)
if (row === undefined) draw()
else loadView(row).then(draw, draw)
