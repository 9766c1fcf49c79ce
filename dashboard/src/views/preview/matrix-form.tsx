import { __ } from '@wordpress/i18n'
import type { FormEvent } from 'react'
import { parseLabels } from '../../../../src/lib/label-list.ts'
import { uuid } from '../../app/uuid.ts'
import { Checkbox, isFinished, Select } from '../../components/form.tsx'
import { Fields, formsOf, MoreFields, TermFields } from '../../components/post-fields/post-fields.tsx'
import { newPostFields } from '../../components/post-fields/table.ts'
import { SitesAndLabelsFields } from '../../components/site-choice.tsx'
import type { Given, Wanted } from './document.ts'
import { type Draft, documentOf, isWritten, wantedOf } from './draft.ts'
import { statusesToAskFor } from './words.tsx'

/** The document and the sites. */
export interface MatrixRequest {
  /** Different for each request. */
  id: string
  given: Given
  delivery: Wanted
  siteIds: string[]
  labels: string[]
  all: boolean
}

interface MatrixFormProps {
  draft: Draft
  onChange(changes: Partial<Draft>): void
  onAsk(ask: MatrixRequest): void
}

/** A form for the sites, and for what WordPress has in its sidebar. */
export function MatrixForm({ draft, onChange, onAsk }: MatrixFormProps) {
  const { all, sites } = draft
  const labels = parseLabels(draft.labels)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!isFinished(event.currentTarget)) return
    const given = documentOf(draft)
    onAsk({ id: uuid(), given, delivery: wantedOf(draft, given), siteIds: sites, labels, all })
  }

  return (
    <form className="g-card g-where" onSubmit={submit} noValidate>
      <h2>{__('Where to', 'galley')}</h2>
      <div className="g-form">
        <Checkbox
          label={__('All sites', 'galley')}
          checked={all}
          onChange={(next) => onChange({ all: next })}
        />
        {!all && (
          <SitesAndLabelsFields
            asked={{
              sites: __('These sites', 'galley'),
              labels: __('And sites with one of these labels', 'galley'),
            }}
            value={draft}
            onChange={(chosen) => onChange({ sites: chosen.sites, labels: chosen.labels })}
          />
        )}
        <Checkbox
          label={__('For search engines, the first public post is the original of the others', 'galley')}
          checked={draft.namesFirst}
          onChange={(namesFirst) => onChange({ namesFirst })}
        />
        <Select
          label={__('Post status', 'galley')}
          value={draft.status}
          onChange={(status) => onChange({ status })}
          options={statusesToAskFor()}
        />
        <TermFields terms={draft} onChange={onChange} />
        <Fields
          forms={formsOf(['publish_at'])}
          inputs={draft.fields}
          onChange={(fields) => onChange({ fields })}
        />
        <MoreFields names={newPostFields} inputs={draft.fields} onChange={(fields) => onChange({ fields })} />
        <div>
          <button
            type="submit"
            className="g-button primary"
            disabled={!isWritten(draft) || (!all && sites.length === 0 && labels.length === 0)}
          >
            {__('Show the preview', 'galley')}
          </button>
        </div>
      </div>
    </form>
  )
}
