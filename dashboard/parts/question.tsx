import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Known, keyOf } from '#dashboard/answers'
import { type Call, send } from '#dashboard/api'
import type { About } from '#dashboard/charts/save-tools.tsx'
import { hasShareLink } from '#dashboard/credential'
import { definitions, type NumberName } from '#dashboard/definitions'
import { agoLabel, formatted } from '#dashboard/format'
import { asCommand, asCurl } from '#dashboard/spell-call'
import { Facts } from './facts.tsx'

/** Where a number comes from: what it means, how fresh it is, and how to get it without the dashboard. */

type Question = {
  title: string
  /** The number that was clicked; absent: all numbers of a chart or a table. */
  shown?: string
  answer: Known
  /** What is counted. */
  names: readonly NumberName[]
}

let open: (question: Question) => void = () => {}

export type NumberProps = {
  name: NumberName
  answer: Known
  /** The number as text. */
  children: string
  class?: string
}

/** A number that can be questioned: a click shows its definition, its receipt and its call. */
export function Num({ name, answer, children, class: className = '' }: NumberProps) {
  return (
    <button
      type="button"
      class={`num ${className}`}
      onClick={() => open({ title: definitions[name].title, names: [name], answer, shown: children })}
      aria-label={`${definitions[name].title}: ${children}. About this number`}
    >
      {children}
    </button>
  )
}

/**
 * Requests where the numbers of a chart or a table come from. A limit or a cap that has cut the answer stands
 * in its name.
 */
export function WhereFrom({ about: { name, columns }, answer }: { about: About; answer: Known }) {
  // The first rows of a list are exact; a note below it says how many there are.
  const isList = (answer.data as { total_rows?: number } | undefined)?.total_rows !== undefined
  const isWhole = isList || answer.receipt?.exact !== false
  const names = (Object.keys(definitions) as NumberName[]).filter(each => {
    const { title } = definitions[each]
    return columns.includes(title) || name.startsWith(title)
  })
  return (
    <button
      type="button"
      class={isWhole ? 'quiet' : 'quiet inexact'}
      aria-label={`${isWhole ? 'About these numbers:' : 'Not complete:'} ${name}`}
      onClick={() => open({ title: name, names, answer })}
    >
      {isWhole ? 'About these numbers' : 'Not complete'}
    </button>
  )
}

/** The dialog of the question; the shell has one. */
export function QuestionDialog() {
  const ref = useRef<HTMLDialogElement>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  useEffect(() => {
    open = asked => {
      setQuestion(asked)
      ref.current?.showModal()
    }
    return () => {
      open = () => {}
    }
  }, [])
  return (
    <dialog ref={ref} class="question" aria-labelledby="question-title" onClose={() => setQuestion(null)}>
      {question !== null && <QuestionBody key={keyOf(question.answer.call)} {...question} />}
      <form method="dialog">
        <button type="submit" class="close" aria-label="Close">
          ×
        </button>
      </form>
    </dialog>
  )
}

function QuestionBody({ title, names, answer, shown }: Question) {
  const command = asCommand(answer.call)
  return (
    <>
      <h2 id="question-title">
        {title} {shown !== undefined && <b>{shown}</b>}
      </h2>
      {names.map(name => (
        <p key={name}>
          {shown === undefined && <strong>{definitions[name].title}: </strong>}
          {definitions[name].text} <a href={`/numbers.md#${definitions[name].more}`}>More</a>
        </p>
      ))}
      {names.length === 0 && (
        <p>
          <a href="/numbers.md">What the numbers mean</a>
        </p>
      )}
      <ReceiptFacts answer={answer} />
      {/* Who has a share link has no key for other calls. */}
      {!hasShareLink() && (
        <>
          <Code title="curl">{asCurl(answer.call, location.origin)}</Code>
          {command !== null && <Code title="footfall">{command}</Code>}
          <SqlCode each={answer.call} />
        </>
      )}
    </>
  )
}

function ReceiptFacts({ answer: { receipt, at } }: { answer: Known }) {
  if (receipt === null) return null
  const { rows, bytes, ms, fresh_until, exact, cost_usd, engine } = receipt
  const facts: [string, ComponentChildren][] = [
    ['Exact', exact === false ? 'No: a limit or a cap has cut the answer' : 'Yes'],
    ['Fresh until', fresh_until ? agoLabel(fresh_until) : 'No events yet'],
    ['Asked', at === 0 ? '–' : agoLabel(at)],
    [
      'Read',
      `${rows === null || rows === undefined ? '–' : formatted(rows)} rows, ${formatted(Math.round((bytes ?? 0) / 1_024))} KB`,
    ],
    ['Took', `${formatted(ms)} ms${engine ? ` on ${engine}` : ''}`],
  ]
  if (cost_usd) facts.push(['Cost', `$${cost_usd}`])
  return <Facts facts={facts} />
}

export function Code({ title, children }: { title: string; children: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(children)
    setCopied(true)
  }
  return (
    <section class="code">
      <header>
        <h3>{title}</h3>
        <button type="button" class="quiet" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </header>
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
    </section>
  )
}

/** The statements of a read, asked when somebody wants them: the read runs once more for that. */
function SqlCode({ each }: { each: Call }) {
  const [sql, setSql] = useState<string | null>(null)
  const load = async () => {
    setSql('…')
    const again = { ...each, values: { ...each.values, sql: true } }
    try {
      const { data } = await send(again)
      const statements = (data as { sql?: { text: string; params: unknown[] }[] } | undefined)?.sql ?? []
      setSql(
        statements.map(({ text, params }) => `${text}\n-- ${JSON.stringify(params)}`).join('\n\n') ||
          'This read runs no statement.',
      )
    } catch (error) {
      setSql(error instanceof Error ? error.message : String(error))
    }
  }
  if (sql !== null) return <Code title="SQL">{sql}</Code>
  return (
    <button type="button" class="quiet" onClick={load}>
      Show the SQL
    </button>
  )
}
