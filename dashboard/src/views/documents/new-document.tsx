import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { Area, Checkbox, Field, Select } from '../../components/form.tsx'
import { MoreFields } from '../../components/post-fields/post-fields.tsx'
import { newPostFields } from '../../components/post-fields/table.ts'
import { contentTypes } from './choices.ts'
import { type DocumentDraft, documentDraft, documentRequest } from './drafts.ts'
import { Models, Narration, Post, ToneAndKeywords, WebhookAddress } from './form-groups.tsx'
import { type EarlierRequest, JobForm, NewJob, useCreateJob } from './new-job.tsx'

/** The form for a document. */
export default function NewDocument() {
  return <NewJob kind="document">{(earlier) => <DocumentForm earlier={earlier} />}</NewJob>
}

function DocumentForm({ earlier }: { earlier: EarlierRequest }) {
  const [draft, setDraft] = useState<DocumentDraft>(() => documentDraft(earlier))
  const creation = useCreateJob('document', documentRequest(draft))
  const change = (changes: Partial<DocumentDraft>) => setDraft({ ...draft, ...changes })
  const group = { draft, change }
  return (
    <JobForm
      submit={__('Create the document', 'galley')}
      creation={creation}
      incomplete={draft.prompt.trim() === ''}
    >
      <Area
        label={__('What it is about', 'galley')}
        help={__('The subject, who it is for, what it must say. 10 to 5,000 characters.', 'galley')}
        rows={5}
        value={draft.prompt}
        onChange={(prompt) => change({ prompt })}
        path="body.prompt"
      />
      <div className="g-beside">
        <Select
          label={__('Kind', 'galley')}
          value={draft.content_type}
          onChange={(content_type) => change({ content_type })}
          options={contentTypes()}
          path="body.content_type"
        />
        <Field
          label={__('Words', 'galley')}
          help={__('100 to 10,000', 'galley')}
          inputMode="numeric"
          value={draft.length}
          onChange={(length) => change({ length })}
          path="body.text.length"
        />
      </div>
      <Checkbox
        label={__('With pictures', 'galley')}
        help={__('A featured image, and some between the sections.', 'galley')}
        checked={draft.pictures}
        onChange={(pictures) => change({ pictures })}
      />
      <Checkbox
        label={__('Also read aloud', 'galley')}
        help={__('A sound file beside the text.', 'galley')}
        checked={draft.narration}
        onChange={(narration) => change({ narration })}
      />
      <div>
        <ToneAndKeywords {...group} />
        {draft.narration && <Narration {...group} />}
        <Models {...group} />
        <Post {...group} />
        {draft.sites.length > 0 && (
          <MoreFields
            names={newPostFields}
            inputs={draft.fields}
            onChange={(fields) => change({ fields })}
            path="body.metadata"
          />
        )}
        <WebhookAddress value={draft.webhook_url} onChange={(webhook_url) => change({ webhook_url })} />
      </div>
    </JobForm>
  )
}
