/** The version of the Chromium of npm, which also stands in its client hints. */
export const HUMAN_BROWSER_VERSION = '153'
/** A desktop Chrome as people use it. Headless Chromium's own user agent is one of a bot. */
export const HUMAN_USER_AGENT = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${HUMAN_BROWSER_VERSION}.0.0.0 Safari/537.36`
