import './app.css'
import { render } from 'preact'
import { followLinks } from './navigate.ts'
import { openAddress } from './open-address.ts'
import { followSession } from './session.ts'
import { loadView } from './shell/load-view.ts'
import { Shell } from './shell/shell.tsx'

const row = openAddress()
followLinks()
followSession()
// The page names the script of its view, so it comes with this one. Drawn together, the calls of the shell
// and those of the view are one round. Without that script the shell says what is wrong.
const draw = () => render(<Shell />, document.getElementById('app') as HTMLElement)
if (row === undefined) draw()
else loadView(row).then(draw, draw)
