import './app.css'
import { render } from 'preact'
import { onSignedOut } from './answers.ts'
import { useDemo } from './credential.ts'
import { currentAddress, followLinks } from './navigate.ts'
import { Shell } from './shell/shell.tsx'

useDemo(currentAddress().area === 'demo')
followLinks()
onSignedOut(() => {
  // The demo gets a new session by itself.
  if (currentAddress().area === 'demo') return
  location.assign(`/auth/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`)
})
render(<Shell />, document.getElementById('app') as HTMLElement)
