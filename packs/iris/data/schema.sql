create table contacts (
  contact_id integer primary key,
  name text not null unique,
  phone text not null,
  document text not null
) strict;

create table boletos (
  boleto_id text primary key,
  contact_id integer not null references contacts (contact_id),
  contact_name text not null,
  amount_cents integer not null check (amount_cents > 0),
  due_date text not null,
  status text not null check (status in ('PENDING_REGISTRATION', 'OPEN', 'OVERDUE', 'PAID', 'CANCELLED', 'EXPIRED')),
  line text not null,
  barcode text not null,
  created_at text not null
) strict;

-- Newest due date first is how boletos are listed.
create index boletos_due on boletos (due_date desc, boleto_id desc);

-- The number of the last boleto; the next one is taken in the transaction that issues it.
create table numbers (
  name text primary key,
  last integer not null
) strict;
