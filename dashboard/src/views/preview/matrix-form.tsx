import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { uuid } from '../../app/uuid.ts'
import { Checkbox, Select } from '../../components/form.tsx'
import { labelsIn } from '../../components/label-text.ts'
import { type SitesAndLabels, SitesAndLabelsFields } from '../../components/site-choice.tsx'
import type { Given, Wanted } from './document.ts'
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
  given: Given
  onAsk(ask: MatrixRequest): void
}

/** A form for the sites and the status. */
export function MatrixForm({ given, onAsk }: MatrixFormProps) {
  const [meant, setMeant] = useState<SitesAndLabels>({
    sites: given.siteId ? [given.siteId] : [],
    labels: '',
  })
  const labels = labelsIn(meant.labels)
  const [all, setAll] = useState(false)
  const [status, setStatus] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    const delivery = status === '' ? given.delivery : { ...given.delivery, post_status: status }
    onAsk({ id: uuid(), given, delivery: delivery as Wanted, siteIds: meant.sites, labels, all })
  }

  return (
    <form className="g-card g-section" onSubmit={submit} noValidate>
      <h2>{__('Where to', 'galley')}</h2>
      <div className="g-form">
        <Checkbox label={__('All sites', 'galley')} checked={all} onChange={setAll} />
        {!all && (
          <SitesAndLabelsFields
            asked={{
              sites: __('These sites', 'galley'),
              labels: __('And sites with one of these labels', 'galley'),
            }}
            value={meant}
            onChange={setMeant}
          />
        )}
        <Select
          label={__('Post status', 'galley')}
          value={status}
          onChange={setStatus}
          options={statusesToAskFor()}
        />
        <div>
          <button
            type="submit"
            className="g-button primary"
            disabled={!all && meant.sites.length === 0 && labels.length === 0}
          >
            {__('Show the preview', 'galley')}
          </button>
        </div>
      </div>
    </form>
  )
}
