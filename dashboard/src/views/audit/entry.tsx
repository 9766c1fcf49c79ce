import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import type { AuditEntry } from '../../api/client.ts'
import { Row } from '../../components/rows.tsx'
import { SiteName } from '../../components/site-choice.tsx'
import { Time } from '../../components/time.tsx'
import { actionInWords, kindInWords } from './words.ts'

/** Kinds of things that have a page of their own. */
const pages: Readonly<Record<string, string>> = {
  site: '/sites/$id',
  delivery: '/deliveries/$id',
  notification: '/outcomes/$id',
  job: '/documents/$id',
  bulk: '/bulk/$id',
  import: '/sites/import/$id',
}

export function Entry({
  entry: { at, actor, key_id, action, subject_kind, subject_id, details },
}: EntryProps) {
  return (
    <Row title={actionInWords(action) ?? <code dir="ltr">{action}</code>}>
      <p>
        {key_id ? (
          <Link
            to="/audit"
            search={{ key_id } as never}
            title={sprintf(
              // translators: %s: the name of an API key
              __('Everything that %s did', 'galley'),
              actor,
            )}
          >
            {actor}
          </Link>
        ) : (
          actor
        )}
        {' · '}
        <Time at={at} exact />
      </p>
      {subject_id && (
        <p className="g-weak">
          <Subject kind={subject_kind} id={subject_id} />
        </p>
      )}
      <details>
        <summary>{__('Details', 'galley')}</summary>
        <pre dir="ltr">{JSON.stringify({ action, subject_id, ...details }, null, 2)}</pre>
      </details>
    </Row>
  )
}

interface EntryProps {
  entry: AuditEntry
}

function Subject({ kind, id }: { kind: string; id: string }) {
  const to = pages[kind]
  const name = kind === 'site' ? <SiteName id={id} /> : <span dir="ltr">{id}</span>
  return (
    <>
      {kindInWords(kind) ?? kind}{' '}
      {to ? (
        <Link to={to} params={{ id } as never}>
          {name}
        </Link>
      ) : (
        name
      )}
    </>
  )
}
