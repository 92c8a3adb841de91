/**
 * The recorder of session replay, GET /replay.js. This file only wires the modules (../README.md).
 */

import { readScripts } from './page-scripts.ts'
import { readConfig } from './replay-config.ts'
import { recordTab } from './tab-recording.ts'
import { createTabState } from './tab-state.ts'

/** `window.aaReplay` (docs/replay.md). */
type Api = { installed: true; consent(): void; stop(): void }

declare global {
  interface Window {
    aaReplay?: Api
  }
}

/** A developer's machine, where the tracker sends nothing either. */
const LOCAL_HOST = /^(localhost|127\..*|\[::1\])$/

function install(): void {
  const scripts = readScripts()
  const tab = scripts && createTabState(scripts.token)
  let recording: ReturnType<typeof recordTab> | null = null
  window.aaReplay = {
    installed: true,
    consent() {
      tab?.setConsent(true)
      recording?.check()
    },
    stop() {
      tab?.setConsent(false)
      recording?.stop()
    },
  }
  if (!scripts || !tab) {
    console.warn('replay.js: no data-token')
    return
  }
  if (LOCAL_HOST.test(location.hostname) && !scripts.isOn('localhost')) return
  // The tracker sends nothing there either: the address is one of the user's disk, or is the document.
  if (!/^http/.test(location.href) && !scripts.isOn('app')) return
  readConfig(scripts)
    .then(config => {
      if (config) recording = recordTab(scripts, config, tab)
    })
    // The page must not see an error of the recorder.
    .catch(error => console.warn('replay.js:', String(error)))
}

// A second copy of the script does nothing.
if (!window.aaReplay?.installed) install()
