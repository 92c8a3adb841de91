/**
 * What holds a page that breaks out of the engine which runs its scripts. `command` stands before the
 * browser, which it replaces itself with; `switches` are for the browser.
 */
type FenceShape = { command: readonly string[]; switches: readonly string[] }

/** Namespaces of the kernel: no network but a loopback that nobody listens on, and mounts of its own. */
const NAMESPACES = ['unshare', '--user', '--net', '--mount']
/** In its namespace the browser is nobody, whoever starts it: its sandbox refuses root. */
const AS_NOBODY = ['--map-user=65534', '--map-group=65534']

/** The strongest first. */
export const fences = {
  /** The browser's own sandbox, and no network for the whole browser. */
  sandbox_without_network: { command: [...NAMESPACES, ...AS_NOBODY, '--'], switches: [] },
  /** The browser's own sandbox. Its processes outside of it have the network, cut off by switches. */
  sandbox: { command: [], switches: [] },
  /** No sandbox, but nothing leaves: what breaks out can read what the service's user can read. */
  namespaces: { command: [...NAMESPACES, '--map-root-user', '--'], switches: ['--no-sandbox'] },
  /**
   * A function on AWS that has no right but to write its log. Its kernel gives no namespaces, so the browser
   * is one process.
   */
  function: { command: [], switches: ['--no-sandbox', '--single-process', '--no-zygote'] },
  /** What breaks out has the rights of the service's user. Only for pages that an account chooses. */
  none: { command: [], switches: ['--no-sandbox'] },
} as const satisfies Record<string, FenceShape>

export type Fence = keyof typeof fences

/** Fences of one machine, in the order in which they are tried. */
const TRIED = ['sandbox_without_network', 'sandbox', 'namespaces'] as const

export type LocalFence = (typeof TRIED)[number] | 'none'

/** Returns the strongest fence that works on this machine. `works` says so of one of them. */
export async function chooseFence(works: (fence: LocalFence) => Promise<boolean>): Promise<LocalFence> {
  for (const fence of TRIED) if (await works(fence)) return fence
  return 'none'
}
