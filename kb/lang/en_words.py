"""Word lists of English: abbreviations, function words, families. Language only: no word of any corpus."""

from __future__ import annotations

from kb.lang import words
from kb.lang.shapes import both_ways

ABBREVIATIONS = words(
    "mr mrs ms dr st no nos vs e.g i.e eg ie cf p pp para sec ch vol ed eds etc viz fig al art"
)

SHAPES = both_ways("i/l 1/l 1/i 0/o rn/m cl/d vv/w ii/u li/h e/c f/t b/h 5/s nn/m in/m u/n")

FUNCTION_WORDS = words(
    """
    a am an and any are as at be been being but by can cannot could did do does doing done for from had
    has have having he her him his how i if in into is it its may me might my myself no nor not of off
    on or our out she should so some that the their them then there these they this those to up us was
    we were what when where which while who whom whose why will with would you your he's she's it's
    i'm don't doesn't didn't can't isn't aren't wasn't s t must just also about someone
    somebody anyone anybody everyone everybody nobody something anything else get got even still only
    really want need let after before again now because other another than more very too
    """
)

_FAMILIES = """
claim claiming | concede concession surrender | lead leader
ask inquire inquiry enquire question request demand
see notice spot discover find realise realize observe
look view inspect inspection examine check review verify | watch peek glance peep look | keep hold
tell inform say state announce declare remark mention comment | mix shuffle
wrong incorrect mistaken improper erroneous | mistake error slip | throw discard ditch
expel disqualify eject ban suspend disqualification
rude insult abuse impolite discourteous yell shout swear | courtesy courteous polite
talk chat speak conversation discuss discussion gossip | late tardy | slow delay stall dawdle
early premature prematurely hurry rush
accident accidental inadvertent unintentional unintended mistakenly
deliberate intentional purpose purposely knowingly wilful | committee jury panel
protest appeal complain complaint | change alter amend modify | replace substitute swap switch exchange
missing lost absent lack | extra surplus additional | drop fall | show expose reveal display visible
hide conceal | lie mislead deceive deceptive deception | penalty punish punishment fine sanction penalize
harm damage hurt injure | benefit advantage profit gain | leave quit walk depart | return restore
time period limit deadline | gesture manner mannerism tone grimace face
think hesitate pause ponder hesitation
explain explanation meaning clarify describe interpret explanation
agreement understanding convention system | remain remaining rest | advise suggest hint prompt advice
pile stack heap arrange | deal dealt | tournament event competition contest session
player contestant participant | argue dispute contest disagree | begin start commence open
end finish complete conclude | allow permit legal permissible | forbid prohibit ban disallow
obliged oblige require compel order force forced | pick select choose choice option
fix correct repair rectify correction rectification | turn rotation | know aware | happen occur
answer reply respond | help assist assistance aid | forget forgot
break violate breach infringe infraction | irregularity infraction offence offense violation
score result points | award assign | cancel void annul | waive forgo | warn warning caution | call summon
near next neighbouring adjacent neighbour | twice double both | seat sit place position | count number
kind type sort
"""

FAMILIES = tuple(tuple(part.split()) for line in _FAMILIES.strip().splitlines() for part in line.split("|"))
