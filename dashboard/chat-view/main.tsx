import { render } from 'preact'
import { connectToHost } from './host.ts'
import { Report, type Shown } from './report.tsx'

/** The page that a chat shows beside an answer of the tools. A host without it has the same as text. */

const place = document.getElementById('view') as HTMLElement
const dark = document.getElementById('dark') as HTMLStyleElement
const show = (shown: Shown) => render(<Report shown={shown} />, place)

show({ state: 'waiting' })
connectToHost({
  onResult: result => show({ state: 'answered', result }),
  onCancelled: () => show({ state: 'cancelled' }),
  onTheme: theme => {
    dark.media = theme === 'dark' ? 'all' : 'not all'
    document.documentElement.style.colorScheme = theme
  },
})
