/**
 * The part of rrweb's player that we use. Its own types bring those of the recorder, and of options that we
 * must not use.
 */
declare module '@rrweb/replay' {
  type ReplayEvent = { type: number; timestamp: number; data: unknown }

  export class Replayer {
    constructor(
      events: ReplayEvent[],
      options: {
        root: Element
        speed?: number
        mouseTail?: boolean | { duration?: number; lineWidth?: number; strokeStyle?: string }
        insertStyleRules?: string[]
        triggerFocus?: boolean
        showWarning?: boolean
        loadTimeout?: number
        pauseAnimation?: boolean
      },
    )
    iframe: HTMLIFrameElement
    on(name: 'resize', handler: (size: { width: number; height: number }) => void): void
    on(name: 'finish', handler: () => void): void
    /** The time is since the first event, ms. */
    play(time?: number): void
    pause(time?: number): void
    getCurrentTime(): number
    addEvent(event: ReplayEvent): void
    setConfig(options: { speed: number }): void
    destroy(): void
    /** Methods of the player that throw for events that contradict each other. */
    applyIncremental(event: ReplayEvent, isSync: boolean): void
    rebuildFullSnapshot(event: ReplayEvent, isSync?: boolean): void
  }
}
