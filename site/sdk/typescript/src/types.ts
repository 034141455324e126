import type { components, operations } from './schema.js';

type Schemas = components['schemas'];

// The records and answers of the interface, by their names in its description.

/** One tool or model. Every member is always there; what is unknown is null. */
export type Entity = Schemas['Entity'];
/** One entity on its own, with the build that it is from. */
export type EntityDocument = Schemas['EntityDocument'];
/** The kind of an entity: `model` or `tool`. */
export type EntityType = Schemas['EntityType'];
/** `active`, `deprecated` or `withdrawn`. */
export type Status = Schemas['Status'];
/** From 0 to 100 with one decimal, null where too little is known. */
export type Scores = Schemas['Scores'];
/** The facts that scores are made of, each with its day and its source. */
export type Signals = Schemas['Signals'];
/** An entity that was found, with its relevance and where the words stand. */
export type SearchHit = Schemas['SearchHit'];
/** An entity that may be meant. */
export type Suggestion = Schemas['Suggestion'];
/** An entity and its rank. */
export type RankedEntity = Schemas['RankedEntity'];
/** An entity and what it has gained. */
export type TrendingEntity = Schemas['TrendingEntity'];
/** An entity and how much it has in common with another one. */
export type SimilarEntity = Schemas['SimilarEntity'];
/** How the scores of an entity came about. */
export type ScoreExplanation = Schemas['ScoreExplanation'];
/** A category, with the number of its entities. */
export type Category = Schemas['Category'];
/** One entity created, updated or deleted at one moment. */
export type Change = Schemas['Change'];
/** A field and its value before and after. */
export type FieldChange = Schemas['FieldChange'];
/** A JSON Feed 1.1 document. */
export type JsonFeed = Schemas['JSONFeed'];
/** One entity as a row of a table. */
export type ExportedEntity = Schemas['ExportedEntity'];
/** One rank as a row of a table. */
export type ExportedRank = Schemas['ExportedRank'];
/** What a build is and what it holds. */
export type Manifest = Schemas['Manifest'];
/** A file of a build. */
export type ManifestFile = Schemas['ManifestFile'];
/** An API key, masked. */
export type ApiKey = Schemas['ApiKey'];
/** A new API key: the only answer that has the key itself. */
export type CreatedApiKey = Schemas['CreatedApiKey'];
/** The fields of an entity that is proposed. */
export type NewSubmission = Schemas['NewSubmission'];
/** A submission that was just made. */
export type CreatedSubmission = Schemas['CreatedSubmission'];
/** A submission and how far it has come. */
export type Submission = Schemas['Submission'];
/** A submission with its fields. */
export type SubmissionDocument = Schemas['SubmissionDocument'];
/** A webhook and how it is doing. */
export type Webhook = Schemas['Webhook'];
/** A new webhook: the only answer that has its secret. */
export type CreatedWebhook = Schemas['CreatedWebhook'];
/** An event and the attempts to deliver it. */
export type Delivery = Schemas['Delivery'];
/** What a webhook is sent. In a test, of the name `webhook.test`, `entity` is null. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** What went wrong, as the server says it (RFC 9457). */
export type Problem = Schemas['Problem'];
/** What went wrong, for programs; there may come more than these. */
export type ErrorCode = Problem['code'] | (string & Record<never, never>);
/** A parameter, or a field of a body, that is wrong. */
export type FieldError = Schemas['FieldError'];

/** The name of an operation of the interface, and of the method for it. */
export type OperationId = keyof operations;

/**
 * The query parameters of an operation, by name. Where several values may be given, one
 * need not stand in a list.
 */
export type Query<Id extends OperationId> = [Raw<Id>] extends [never] ? Record<string, never> : Loose<Raw<Id>>;

type Raw<Id extends OperationId> = NonNullable<operations[Id]['parameters']['query']>;

type Loose<Q> = {
  [Name in keyof Q]: NonNullable<Q[Name]> extends readonly (infer Value)[] ? Value | readonly Value[] : Q[Name];
};

/** What an operation answers in JSON. */
export type Answer<Id extends OperationId> = Json<operations[Id]['responses'], 200 | 201 | 202>;

type Json<Responses, Status> = {
  [S in keyof Responses & Status]: Responses[S] extends { content: { 'application/json': infer Body } } ? Body : never;
}[keyof Responses & Status];

/** A page of a collection. */
export interface Page<Item> {
  data: Item[];
  /** How many there are over all pages. */
  count: number;
  /** Goes on with the next page; null on the last one. */
  nextCursor: string | null;
}

/** The operations that answer page by page. */
export type Listed = {
  [Id in OperationId]: 'cursor' | 'limit' extends keyof Raw<Id>
    ? Answer<Id> extends Page<unknown> ? Id : never
    : never;
}[OperationId];

type Element<T> = NonNullable<T> extends readonly (infer E)[] ? E : never;

/** A member of entities that `fields` can ask for; the name of a score gives just that score. */
export type EntityField = Element<Raw<'listEntities'>['fields']>;

/** The members of an entity that `fields` asked for. All may be missing where the names are not known beforehand. */
export type Narrowed<F extends EntityField> = EntityField extends F
  ? Schemas['NarrowedEntity']
  : Pick<Entity, F & keyof Entity> & NarrowedScores<F>;

type NarrowedScores<F> = 'scores' extends F ? unknown
  : [F & keyof Scores] extends [never] ? unknown
  : { scores: Pick<Scores, F & keyof Scores> };

/** A page of entities, whole or narrowed. */
export type EntityPage<F extends EntityField = never> = Omit<Answer<'listEntities'>, 'data'> & {
  data: ([F] extends [never] ? Entity : Narrowed<F>)[];
};

/** A page of hits, whole or narrowed. */
export type SearchPage<F extends EntityField = never> = Omit<Answer<'searchEntities'>, 'data'> & {
  data: ([F] extends [never] ? SearchHit : Narrowed<F> & Pick<SearchHit, 'relevance' | 'highlights'>)[];
};

/** A column of the export of entities. */
export type ExportField = Element<Raw<'exportEntities'>['fields']>;

/** A row of the export of entities, whole or narrowed. */
export type ExportRow<F extends ExportField = never> = [F] extends [never] ? ExportedEntity
  : ExportField extends F ? Partial<ExportedEntity>
  : Pick<ExportedEntity, F>;
