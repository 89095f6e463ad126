from .pass_on import given, renamed as other
__all__ = ["given", 'other'] + ["own"]
__all__ += ("more",)
__all__.extend(["extended"])
__all__.append("appended")
own = 1
public_but_not_listed = 2
def more(): pass
