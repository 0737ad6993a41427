.headers on
create table town(name text, country text, people real, founded text);
insert into town values
  ('Aachen', 'de', 249.07, '0765-12-25'), ('Lyon', 'fr', 522.25, '0843-08-01'), ('Brno', 'cz', 400.57, '1243-01-05'),
  ('Graz', 'at', 301.42, '1128-06-30'), ('Nice', 'fr', 348.09, null), ('Ulm', 'de', 128.93, '0854-07-22');
create index by_country on town(country, people);
select country, count(*), round(avg(people), 3), max(people) from town group by country order by country;
select name, date(founded, '+100 years', 'start of month'), strftime('%j %w', founded), julianday(founded) from town;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
  select count(*), sum(i * 1.5), total(sqrt(i)), printf('%.6e', exp(max(i) / 10.0)) from n;
select datetime(0, 'unixepoch'), time('12:34:56.789', '+90 minutes'), 1e308 * 10, -1 / 3.0, 9223372036854775807 + 1;
select json_extract('{"a": [1, 2.5, {"b": "c"}]}', '$.a[2].b'), instr('haystack', 'st'), 'x' || null;
begin; update town set people = people * 2 where country = 'fr'; rollback;
delete from town where founded is null;
.mode column
select * from town where name glob '[A-L]*' order by people desc;
select nothing from town;
